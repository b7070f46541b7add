// The verb `sync`: fetches the followed repository now, has it judged, and says what came of it.
// With --skip: has a roll-out go on without a node.

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "base/moment.hpp"
#include "cli/command.hpp"
#include "cli/input/typed_line.hpp"
#include "cli/input/user_name.hpp"
#include "cli/input/wrong_line.hpp"
#include "cli/json_output.hpp"
#include "cli/source/source_check.hpp"
#include "cli/state_here/node_here.hpp"
#include "cli/text/layout.hpp"
#include "protocol/paths.hpp"
#include "protocol/source.hpp"
#include "protocol/source_ids.hpp"
#include "state/by_hand.hpp"
#include "state/in_force_file.hpp"
#include "state/rollout_skips.hpp"
#include "state/source.hpp"

namespace spark::cli {
namespace {

struct SyncArguments {
  bool retry = false;
  std::string skip;  ///< name of a node
  std::string why;
};

Result<> forget_bad(host::Files& files) {
  const auto lock = files.lock(protocol::kLockFile);
  if (!lock) return std::unexpected(lock.error());
  if (const auto told = state::tell_in_force(files, state::events::Retried{}); !told) {
    return std::unexpected(told.error());
  }
  return state::note_by_hand(files);  // the daemon looks again
}

/// Why nothing newer is taken, and the exit code; empty: the newest is.
std::optional<std::pair<protocol::SourceFault, ExitCode>> fault_in(
    const protocol::Judgement& judgement, const std::optional<protocol::Offer>& offer) {
  if (offer && offer->fault && offer->url == judgement.url) {
    return std::pair{*offer->fault, ExitCode::kError};
  }
  if (judgement.refused) return std::pair{*judgement.refused, ExitCode::kRefused};
  if (judgement.waits) return std::pair{*judgement.waits, ExitCode::kWaiting};
  return std::nullopt;
}

Result<> check_skip(const Command& command) {
  const auto& skip = own_options<SyncArguments>(command).skip;
  const auto here = node_here(command.host);
  if (!here) return std::unexpected(here.error());
  if (!*here) {
    return fail(ErrorCode::kNotFound,
                "no daemon runs here, so no roll-out waits: `systemctl start spark-reconcile`");
  }
  std::vector<std::string> nodes;
  if (const auto& held = (*here)->state.rollout) {
    for (const auto& wait : held->waits) nodes.push_back(wait.node);
  }
  if (nodes.empty()) return fail(ErrorCode::kNotFound, "no roll-out is held here: nothing to skip");
  if (std::ranges::find(nodes, skip) == nodes.end()) {
    return fail(ErrorCode::kNotFound,
                fmt::format("the roll-out does not wait for {} here; it waits for {}",
                            in_quotes(skip), printable(fmt::format("{}", fmt::join(nodes, ", ")))));
  }
  return {};
}

ExitCode skip_node(const Command& command) {
  const auto& own = own_options<SyncArguments>(command);
  auto& files = command.host.files;
  auto done = check_skip(command);
  if (done) {
    done = state::add_rollout_skip(files, {.node = own.skip,
                                           .why = printable(own.why),
                                           .by = user_name(),
                                           .at = utc_text(now().wall)});
  }
  if (done) done = state::note_by_hand(files);  // the daemon looks again
  if (!done) return report_error(command, done.error());
  const auto code = report_outcome(
      command, "", ExitCode::kDone, {{"skipped", own.skip}},
      fitting(fmt::format("{} is skipped: the roll-out no longer waits for it on this node\n",
                          own.skip),
              command.terminal));
  print_next(command.terminal, command.arguments, "How far it is", "spark-reconcile status");
  return code;
}

/// Where the next fetch is put off, it is made now.
Result<> end_wait(host::Files& files) {
  constexpr unsigned kMode = 0644;
  const auto offer = state::read_offer(files);
  return offer && offer->retry ? files.write(protocol::kFetchAskedFile, "", kMode) : Result<>{};
}

/// The accepted file, where it has errors.
std::optional<ClusterFile> invalid_file(host::Files& files,
                                        const protocol::AcceptedCommit& accepted) {
  auto text = state::read_followed(files);
  if (!text || !*text) return std::nullopt;
  const auto name = fmt::format("commit {:.12}, cluster.yaml", accepted.commit);
  auto file = parse_cluster_text(name, std::move(**text));
  const bool is_it = file.parsed.cluster.digest == accepted.digest;
  return is_it && !file.valid() ? std::optional(std::move(file)) : std::nullopt;
}

ExitCode sync_source(const Command& command) {
  if (!own_options<SyncArguments>(command).skip.empty()) return skip_node(command);
  auto& files = command.host.files;
  if (const auto settings = followed_settings(command); !settings) return settings.error();
  if (own_options<SyncArguments>(command).retry) {
    if (auto forgotten = forget_bad(files); !forgotten) {
      return report_error(command, forgotten.error());
    }
  }
  if (const auto asked = end_wait(files); !asked) return report_error(command, asked.error());
  if (const auto ran = fetch_and_judge(command.host.bus, state::kFetchUnit, state::kJudgeUnit);
      !ran) {
    return report_error(command, ran.error());
  }
  const auto read = state::read_judgement(files);
  if (!read) return report_error(command, read.error());
  if (!*read) {
    return report_error(command, {ErrorCode::kSystem,
                                  "nothing was judged: see "
                                  "`systemctl status spark-reconcile-judge`"});
  }
  const auto& judgement = **read;
  const auto fault = fault_in(judgement, state::read_offer(files));
  std::string text;
  nlohmann::json body{{"commit", nullptr}, {"digest", nullptr}, {"fault", nullptr}};
  if (judgement.accepted) {
    const auto& accepted = *judgement.accepted;
    body["commit"] = accepted.commit;
    body["digest"] = accepted.digest;
    text = fmt::format("accepted: {:.12} {} ({})\n", accepted.commit, in_quotes(accepted.subject),
                       accepted.principal.empty()
                           ? "not verified"
                           : fmt::format("signed by {}", printable(accepted.principal)));
  }
  const auto invalid = judgement.accepted ? invalid_file(files, *judgement.accepted) : std::nullopt;
  text = fitting(text, command.terminal);
  if (invalid) {
    body["findings"] = to_json(*invalid)["findings"];
    text += error_text(*invalid) +
            "its file has errors and is refused; what was in force stays: correct it in the "
            "repository\n";
  }
  if (fault) {
    body["fault"] = {{"id", fault->first.id}, {"what", fault->first.what}};
    text += fitting(
        fmt::format("nothing newer is taken: {}\n", protocol::fault_text(fault->first, "\n")),
        command.terminal);
  }
  const auto taken = invalid ? ExitCode::kInvalidFile : ExitCode::kDone;
  const auto code = report_outcome(command, "", fault ? fault->second : taken, body, text);
  print_next(command.terminal, command.arguments, "How far it is", "spark-reconcile status");
  return code;
}

constexpr auto kSyncOptions = std::to_array<OptionRow>({
    {"--retry", &Value::kNone, in<&SyncArguments::retry>(),
     "try again the files that failed on this node"},
    {"--skip", &Value::kNode, in<&SyncArguments::skip>(),
     "wait no longer for this node in the roll-out that is held here; takes --why"},
    {"--why", &Value::kText, in<&SyncArguments::why>(),
     "why, shown in status and events (200 characters at most)"},
});

std::string contradiction_of_sync(const Arguments& arguments, const TypedLine& /*line*/) {
  const auto& [retry, skip, why] = own_options<SyncArguments>(arguments);
  if (skip.empty() != why.empty()) {
    return "--skip and --why go together, since others read why the roll-out did not wait: " +
           line_to_type({"sync", "--skip", skip.empty() ? "spark1" : skip, "--why",
                         why.empty() ? "TEXT" : why});
  }
  return !skip.empty() && retry ? "--skip fetches nothing: leave out --retry" : fault_of_why(why);
}

}  // namespace

extern const VerbSpec kSyncVerb{.name = "sync",
                                .group = VerbGroup::kService,
                                .about = "fetch the followed repository now, and say what is taken",
                                .needs_root = true,
                                .options = own_rows<SyncArguments>(kSyncOptions),
                                .check = contradiction_of_sync,
                                .run = sync_source};

}  // namespace spark::cli
