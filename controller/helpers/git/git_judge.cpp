// spark-git-judge: says which commit of the followed repository counts, and leaves its file for the
// daemon. It runs as a user of its own, without network, and writes below its own directory alone.
//
//   spark-git-judge SETTINGS FETCHED OWN SCRATCH
//
// SETTINGS: agent.yaml; FETCHED: what spark-git-fetch writes; OWN: judgement.json and cluster.yaml;
// SCRATCH: a directory that may be emptied. Ends with 75 where it has to be asked again, as for a
// clock that is not right yet.

#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/exit_code.hpp"
#include "base/json_document.hpp"
#include "base/moment.hpp"
#include "base/text.hpp"
#include "helpers/git/judge.hpp"
#include "helpers/git/settings.hpp"
#include "host/process/child.hpp"
#include "host/process/trusted_file.hpp"
#include "protocol/source.hpp"

namespace {

using namespace spark::helpers;
using spark::ExitCode;
using spark::protocol::Judgement;
using spark::protocol::Offer;
using spark::protocol::SourceFault;

/// For all that git reads. The unit has a longer one.
constexpr std::chrono::seconds kPatience{60};

void say(const std::string& text) { std::fputs((text + "\n").c_str(), stderr); }

template <class T>
std::optional<T> read_record(const std::string& text, std::string_view schema) {
  auto record = spark::document_from_text<T>(schema, text);
  return record ? std::optional(std::move(*record)) : std::nullopt;
}

SourceFault fault_of(const Fault& fault, const std::string& commit,
                     const std::optional<SourceFault>& former) {
  SourceFault now{.id = spark::protocol::text_of(fault.id),
                  .what = spark::printable(fault.what, 1000),
                  .commit = commit};
  const bool is_same = former && former->id == now.id && former->commit == now.commit;
  now.since = is_same ? former->since : spark::utc_text(spark::now().wall);
  return now;
}

/// git cat-file needs a repository to stand in, without objects: not one that others may write.
spark::Result<std::string> own_repository(const std::string& scratch) {
  auto path = scratch + "/repository";
  const auto made = spark::host::run_child(
      git_words({"init", "--quiet", "--bare", "--template=", path}), kPatience,
      {.environment = git_environment("/dev/null"), .most_memory = kMostMemory});
  if (!made) return std::unexpected(made.error());
  if (made->status != 0) {
    return spark::fail(spark::ErrorCode::kSystem, spark::printable(made->err, 500));
  }
  return path;
}

struct Paths {
  std::string settings;
  std::string fetched;
  std::string own;
  std::string scratch;
};

/// What the run finds goes into `judgement`; the file, where a new one is accepted, is returned.
OrFault<std::optional<std::string>> judge_offer(const Paths& paths,
                                                const spark::config::SourceSpec& settings,
                                                const Offer& offer, const Judgement& former,
                                                Judgement& judgement) {
  std::optional<Signers> signers;
  if (settings.verify.value != spark::config::Verify::kNone) {
    auto read = Signers::read(settings, paths.scratch);
    if (!read) return std::unexpected(read.error());
    signers = std::move(*read);
  }
  const auto now =
      std::chrono::duration_cast<std::chrono::seconds>(spark::now().wall.time_since_epoch());
  const auto judge_accepted_again = [&]() -> OrFault<std::optional<std::string>> {
    // The signers may have changed since.
    if (signers && judgement.accepted) {
      if (auto still = judge_again(*judgement.accepted, *signers, now.count()); !still) {
        return std::unexpected(still.error());
      }
    }
    return std::nullopt;
  };
  // Somebody removed the store, and the fetch that was to bring it again says itself why it did
  // not.
  std::error_code error;
  if (offer.fault && !std::filesystem::exists(paths.fetched + "/repository", error)) {
    return judge_accepted_again();
  }
  const auto repository = own_repository(paths.scratch);
  if (!repository) return found(GitId::kNotWhatItsNameSays, repository.error());
  auto objects = ObjectReader::open(*repository, paths.fetched + "/repository/objects", kPatience);
  if (!objects) return found(GitId::kNotWhatItsNameSays, objects.error());
  auto taken = judge({.settings = settings,
                      .offer = offer,
                      .accepted = judgement.accepted,
                      .accepted_from = former.from,
                      .accepted_path = former.path,
                      .signers = signers ? &*signers : nullptr,
                      .now = now.count()},
                     *objects);
  if (!taken) return std::unexpected(taken.error());
  if (!*taken) return judge_accepted_again();
  judgement.accepted = std::move((*taken)->commit);
  judgement.accepted->at = spark::utc_text(spark::now().wall);
  return std::move((*taken)->text);
}

int run(const Paths& paths) {
  const auto record = paths.own + spark::protocol::kJudgementName;
  const auto text_before = spark::host::read_plain(record, spark::protocol::kMostRecordBytes)
                               .value_or(std::nullopt)
                               .value_or("");
  const auto former =
      read_record<Judgement>(text_before, spark::protocol::kJudgementSchema).value_or(Judgement{});
  Judgement judgement = former;
  judgement.refused.reset();
  judgement.waits.reset();

  std::optional<std::string> text;
  std::string head;
  const auto settings = read_settings(paths.settings);
  OrFault<> judged;
  if (!settings) {
    judged = std::unexpected(settings.error());
  } else {
    // What another repository or branch had says nothing of this one: its chain begins at `from`.
    if (judgement.url != settings->url.value || judgement.branch != settings->branch.value) {
      judgement.accepted.reset();
    }
    judgement.url = settings->url.value;
    judgement.branch = settings->branch.value;
    const auto offered = spark::host::read_plain(paths.fetched + spark::protocol::kOfferName,
                                                 spark::protocol::kMostRecordBytes);
    const auto offer = read_record<Offer>(offered.value_or(std::nullopt).value_or(""),
                                          spark::protocol::kOfferSchema);
    const bool is_of_these =
        offer && offer->url == judgement.url && offer->branch == judgement.branch;
    if (!is_of_these || (offer->head.empty() && !offer->fault)) {
      judgement.waits =
          fault_of({GitId::kUnreachable, "nothing was fetched yet"}, "", former.waits);
    } else if (offer->head.empty()) {
      // How the fetch ended is in the offer, which `status` reads too.
      judgement.waits = *offer->fault;
      judgement.waits->what = spark::printable(judgement.waits->what, 1000);
    } else {
      head = offer->head;
      auto found_text = judge_offer(paths, *settings, *offer, former, judgement);
      if (found_text) {
        text = std::move(*found_text);
        // Not before: who sets the beginning, or another path, has to see it judged once.
        judgement.path = settings->path.value;
        judgement.from = settings->from ? settings->from->value : "";
      } else {
        judged = std::unexpected(found_text.error());
      }
    }
  }
  if (!judged) {
    const bool waits = judged.error().id == GitId::kFromTheFuture;
    auto& fault = waits ? judgement.waits : judgement.refused;
    fault =
        fault_of(judged.error(), spark::printable(head, 64), waits ? former.waits : former.refused);
    say(fmt::format("{}: {}", fault->id, fault->what));
  }
  // The file first: a record without its file would be a file that is not there.
  if (text) {
    if (auto put = spark::host::replace_file(paths.own + spark::protocol::kFollowedName, *text);
        !put) {
      say(put.error().what);
      return status_of(ExitCode::kError);
    }
    say(fmt::format(
        "accepted {} ({})", judgement.accepted->commit,
        judgement.accepted->principal.empty() ? "not verified" : judgement.accepted->principal));
  }
  const auto document =
      spark::json_text(spark::document_of(spark::protocol::kJudgementSchema, judgement), 2) + "\n";
  if (document != text_before) {
    if (auto put = spark::host::replace_file(record, document); !put) {
      say(put.error().what);
      return status_of(ExitCode::kError);
    }
  }
  // For a clock nobody else asks again; after a fetch the path unit does.
  const bool asks_again =
      judgement.waits && judgement.waits->id == spark::protocol::text_of(GitId::kFromTheFuture);
  return status_of(asks_again ? ExitCode::kBusy : ExitCode::kDone);
}

/// What is fetched while this judges is heard by nobody: systemd watches the offer again when this
/// has ended.
int run_while_offers_come(const Paths& paths) {
  constexpr int kMostRounds = 3;
  const auto offer = [&] {
    return spark::host::read_plain(paths.fetched + spark::protocol::kOfferName,
                                   spark::protocol::kMostRecordBytes)
        .value_or(std::nullopt);
  };
  auto judged = offer();
  int status = run(paths);
  for (int round = 1; round < kMostRounds; ++round) {
    auto now = offer();
    if (now == judged) break;
    judged = std::move(now);
    status = run(paths);
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> words(argv + 1, argv + argc);
    constexpr std::size_t kWords = 4;
    if (words.size() != kWords) {
      say("usage: spark-git-judge SETTINGS FETCHED OWN SCRATCH");
      return status_of(ExitCode::kUsage);
    }
    umask(022);
    // A git that ends at a broken object is an answer, and no reason to end.
    static_cast<void>(std::signal(SIGPIPE, SIG_IGN));
    return run_while_offers_come(
        {.settings = words[0], .fetched = words[1], .own = words[2], .scratch = words[3]});
  } catch (const std::exception& error) {
    say(error.what());
    return status_of(ExitCode::kError);
  }
}
