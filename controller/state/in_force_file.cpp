#include "state/in_force_file.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/json_document.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "protocol/paths.hpp"
#include "state/history.hpp"
#include "state/node_record.hpp"

namespace spark::state {
namespace {

constexpr std::string_view kInForceRecordSchema = "spark-reconcile/in-force-record/v1";
/// Nobody else has to read it.
constexpr unsigned kInForceRecordMode = 0600;
// What 0.2.0 kept, and looks for.
constexpr const char* kLastGoodDigests = "/var/lib/spark-reconcile/last-good.sha256";
constexpr const char* kTrialFile = "/var/lib/spark-reconcile/trial.json";
constexpr const char* kBadFiles = "/var/lib/spark-reconcile/bad-files.json";
/// The last line of those digests. 0.2.0 looks for a digest there, and writes it without this.
constexpr std::string_view kWrittenHere = "in_force.json";

struct Document {
  InForce state;
  std::vector<std::string> texts;
};

template <EitherConst<Document> T, class Visit>
void each_field(T& document, Visit visit) {
  each_field(document.state, visit);
  visit("texts", document.texts);
}

struct EarlierTrial {
  std::string digest;
  std::vector<FactKey> held;
  std::chrono::milliseconds settle{0};
};

template <EitherConst<EarlierTrial> T, class Visit>
void each_field(T& trial, Visit visit) {
  visit("digest", trial.digest);
  visit("held", trial.held);
  visit("settle_ms", trial.settle);
}

struct EarlierBadFiles {
  std::vector<BadFile> files;
};

template <EitherConst<EarlierBadFiles> T, class Visit>
void each_field(T& bad, Visit visit) {
  visit("files", bad.files);
}

std::optional<std::string> text_at(host::Files& files, const char* path) {
  return files.read(path).value_or(std::nullopt);
}

std::string damaged(const char* path) {
  return fmt::format(
      "'{}' is not the file that was kept there: somebody changed it, or the disk did. It is not "
      "used",
      path);
}

std::string document_text(const InForceFile& file) {
  Document document{.state = file.state};
  for (const auto& [digest, text] : file.texts) document.texts.push_back(text);
  return json_text(document_of(kInForceRecordSchema, document), 2) + "\n";
}

/// What nobody needs any more goes.
void keep_texts(InForceFile& file) {
  std::erase_if(file.texts, [&](const auto& text) {
    const auto& [digest, body] = text;
    const auto is_of = [&](const auto& other) { return other && other->digest == digest; };
    return digest != file.state.good && !is_of(file.state.trial) && !is_of(file.state.unconfirmed);
  });
}

std::vector<BadFile> rejected_in(const std::vector<Generation>& history) {
  std::vector<BadFile> rejected;
  for (const auto& generation : history) {
    if (!was_rejected(history, generation.digest)) continue;
    rejected.push_back({.digest = generation.digest,
                        .why = kWhyRolledBack,
                        .at = generation.at,
                        .by = generation.by});
  }
  return rejected;
}

void add_bad(std::vector<BadFile>& bad, std::vector<BadFile> more) {
  for (auto& one : more) {
    std::erase_if(bad, [&](const BadFile& other) { return other.digest == one.digest; });
    bad.push_back(std::move(one));
  }
}

/// Of the node's history: what somebody rolled back, and the text of a file.
struct EarlierHistory {
  explicit EarlierHistory(host::Files& files) : files_(files) {
    for (auto& node : files.list(protocol::kStateDirectory).value_or(std::vector<std::string>{})) {
      if (!is_of_another_machine(files, node)) nodes_.push_back(std::move(node));
    }
  }

  [[nodiscard]] std::vector<BadFile> rejected() const {
    std::vector<BadFile> rejected;
    for (const auto& node : nodes_) {
      const auto history = read_history(files_, node).value_or(std::vector<Generation>{});
      add_bad(rejected, rejected_in(history));
    }
    return rejected;
  }

  [[nodiscard]] std::optional<std::string> text_of(const std::string& digest) const {
    for (const auto& node : nodes_) {
      auto text = read_generation(files_, node, digest).value_or(std::nullopt);
      if (text && sha256_of(*text) == digest) return text;
    }
    return std::nullopt;
  }

 private:
  host::Files& files_;
  std::vector<std::string> nodes_;
};

/// A file that is applied stays in force. Where its text is lost, it is tried once more.
void take_over_trial(const EarlierHistory& history, host::Files& files, InForceFile& file) {
  const auto kept = text_at(files, kTrialFile);
  auto trial = kept ? value_from_text<EarlierTrial>(*kept) : Result<EarlierTrial>();
  if (!kept || !trial) return;
  file.state.seen = FactsSeen{.held = std::move(trial->held)};
  const auto text = history.text_of(trial->digest);
  const bool is_over = trial->digest == file.state.good || file.state.find_bad(trial->digest);
  if (!text || is_over) return;
  file.texts.emplace(trial->digest, *text);
  file.state.trial = Trial{.digest = std::move(trial->digest), .settle = trial->settle};
}

/// `known`: what is known to be bad without it.
Result<InForceFile> left_by_earlier_version(host::Files& files, std::vector<BadFile> known) {
  InForceFile file;
  file.state.bad = std::move(known);
  const auto text = files.read(protocol::kLastGoodFile);
  if (!text) return std::unexpected(text.error());
  const auto bad = text_at(files, kBadFiles);
  if (bad) {
    add_bad(file.state.bad,
            value_from_text<EarlierBadFiles>(*bad).value_or(EarlierBadFiles{}).files);
  }
  const EarlierHistory history(files);
  add_bad(file.state.bad, history.rejected());
  if (!*text) return file;
  const auto digest = sha256_of(**text);
  const auto kept = text_at(files, kLastGoodDigests).value_or(digest);
  const auto digests = lines_of(kept);  // the first versions kept none
  if (std::ranges::find(digests, digest) == digests.end()) {
    file.damage = damaged(protocol::kLastGoodFile);
    return file;
  }
  file.state.good = digest;
  std::erase_if(file.state.bad, [&](const BadFile& one) { return one.digest == digest; });
  file.texts.emplace(digest, **text);
  take_over_trial(history, files, file);
  return file;
}

/// Also what lies beside a record of ours that is damaged.
Result<InForceFile> from_earlier_version(host::Files& files, const std::string& document = {},
                                         std::vector<BadFile> known = {}) {
  auto file = left_by_earlier_version(files, std::move(known));
  if (!file) return file;
  file->document = document;
  file->is_of_earlier_version = !is_same_record(file->state, {});
  return file;
}

bool lacks_our_line(const std::optional<std::string>& digests) {
  return digests && !digests->contains(kWrittenHere);
}

/// Somebody went back to it, and it has put another file in force, on trial or aside since.
bool was_written_by_earlier_version(host::Files& files) {
  return lacks_our_line(text_at(files, kLastGoodDigests)) || text_at(files, kTrialFile) ||
         text_at(files, kBadFiles);
}

/// The digests come first, so that a power cut between the two writes leaves a file and a digest
/// that agree. `text`: null: no file is good.
Result<> keep_for_earlier_version(host::Files& files, const std::string* text) {
  auto digests = text_at(files, kLastGoodDigests);
  const auto former = text_at(files, protocol::kLastGoodFile);
  const bool changes = text != nullptr && former != *text;
  if (!changes && !lacks_our_line(digests)) return {};
  if (changes) {
    digests = sha256_of(*text) + "\n";
    if (former) *digests += sha256_of(*former) + "\n";
  }
  *digests += std::string(kWrittenHere) + "\n";
  if (auto written = files.write_durably(kLastGoodDigests, *digests, kInForceRecordMode); !written)
    return written;
  if (!changes) return {};
  return files.write_durably(protocol::kLastGoodFile, *text, kInForceRecordMode);
}

Result<> write(host::Files& files, const InForceFile& file) {
  const auto good = file.texts.find(file.state.good);
  const auto* text = good == file.texts.end() ? nullptr : &good->second;
  if (auto kept = keep_for_earlier_version(files, text); !kept) return kept;
  return files.write_durably(protocol::kInForceRecord, file.document, kInForceRecordMode);
}

}  // namespace

const std::string* InForceFile::text() const {
  const auto found = texts.find(state.digest());
  return found == texts.end() ? nullptr : &found->second;
}

Result<InForceFile> read_in_force(host::Files& files) {
  const auto text = files.read(protocol::kInForceRecord);
  if (!text) return std::unexpected(text.error());
  if (!*text) return from_earlier_version(files);
  InForceFile file{.state = {}, .document = **text};
  auto document = document_from_text<Document>(kInForceRecordSchema, **text);
  if (document) {
    file.state = std::move(document->state);
    for (auto& one : document->texts) {
      auto digest = sha256_of(one);
      file.texts.emplace(std::move(digest), std::move(one));
    }
  }
  // A text is known by its digest: one that was changed is none of ours.
  const bool is_whole = document && (file.state.digest().empty() || file.text() != nullptr);
  if (is_whole && !was_written_by_earlier_version(files)) return file;
  auto earlier = from_earlier_version(files, **text, std::move(file.state.bad));
  if (earlier && !is_whole) earlier->damage = damaged(protocol::kInForceRecord);
  return earlier;
}

bool is_as_read(host::Files& files, const InForceFile& file) {
  const auto text = files.read(protocol::kInForceRecord);
  return text && text->value_or("") == file.document;
}

bool is_removed(host::Files& files, const InForceFile& file) {
  const auto text = files.read(protocol::kInForceRecord);
  return !file.document.empty() && text && !*text;
}

std::optional<Effect> tell_unwritten(InForceFile& file, const InForceEvent& event) {
  auto [state, effect] = step(file.state, event);
  if (file.is_of_earlier_version || !is_same_record(state, file.state)) return std::nullopt;
  file.state = std::move(state);
  return effect;
}

Result<Effect> tell_in_force(host::Files& files, InForceFile& file, const InForceEvent& event,
                             const std::string& text) {
  auto next = file;
  auto [state, effect] = step(std::move(next.state), event);
  next.state = std::move(state);
  if (!text.empty()) next.texts.emplace(sha256_of(text), text);
  keep_texts(next);
  next.document = document_text(next);
  const auto on_disk = file.document.empty() ? document_text({}) : file.document;
  if (file.is_of_earlier_version || next.document != on_disk) {
    if (!file.damage.empty() && !file.document.empty()) {
      // What a newer version wrote is kept beside it, as of a history.
      auto kept = files.write_durably(std::string(protocol::kInForceRecord) + ".damaged",
                                      file.document, kInForceRecordMode);
      if (!kept) return std::unexpected(kept.error());
    }
    if (auto written = write(files, next); !written) return std::unexpected(written.error());
    for (const auto* earlier : {kTrialFile, kBadFiles}) static_cast<void>(files.remove(earlier));
  } else {
    next.document = file.document;
  }
  next.damage.clear();
  next.is_of_earlier_version = false;
  file = std::move(next);
  return effect;
}

Result<Effect> tell_in_force(host::Files& files, const InForceEvent& event,
                             const std::string& text) {
  auto file = read_in_force(files);
  if (!file) return std::unexpected(file.error());
  return tell_in_force(files, *file, event, text);
}

Result<> write_again(host::Files& files, const InForceFile& file) { return write(files, file); }

BadFile rolled_back(const std::string& digest, const std::string& by, const Moment& now) {
  return {.digest = digest,
          .why = kWhyRolledBack,
          .at = utc_text(now.wall),
          .by = by.empty() ? "nobody known" : by};
}

}  // namespace spark::state
