// The verbs `pause` and `resume`: what the daemon may correct. `resume` ends a pause, a release and
// all contests.

#include "state/pause.hpp"

#include <array>
#include <chrono>
#include <expected>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apply/recovery.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/input/user_name.hpp"
#include "cli/input/verb.hpp"
#include "cli/json_output.hpp"
#include "cli/plan/own_node.hpp"
#include "cli/state_here/node_here.hpp"
#include "cli/text/layout.hpp"
#include "cli/verbs/confirm.hpp"
#include "host/file_lock.hpp"
#include "plan/release.hpp"
#include "state/by_hand.hpp"
#include "state/journal.hpp"
#include "state/ledger.hpp"

namespace spark::cli {
namespace {

struct PauseArguments {
  std::chrono::milliseconds length{0};  ///< --for
  std::string reason;
};

/// Ends the release of this node, or of the one that -n names; gives its name, empty: it was not
/// released. What goes wrong is reported.
std::expected<std::string, ExitCode> end_own_release(const Command& command) {
  const auto node = find_own_node(command);
  if (!node || node->empty()) return node;
  host::View view(command.host);
  const auto ledger = state::known_ledger(view, *node);
  if (!ledger) return std::unexpected(report_error(command, ledger.error()));
  if (!plan::is_released(*ledger)) return std::string();
  const auto lock = take_lock(command);
  if (!lock) return std::unexpected(lock.error());
  const auto open = apply::find_open_journal(command.host.files);
  if (!open) return std::unexpected(report_error(command, open.error()));
  if (*open) {
    return std::unexpected(report_error(
        command,
        {ErrorCode::kBusy,
         fmt::format("{} is not over: `spark-reconcile apply` or `release` finishes it, "
                     "`spark-reconcile rollback` rolls it back",
                     apply::describe(**open))},
        ExitCode::kRefused));
  }
  // First: the daemon says who ended it as soon as it has ended.
  if (auto noted = state::note_by_hand(command.host.files, command.arguments.change_id); !noted) {
    return std::unexpected(report_error(command, noted.error()));
  }
  if (auto ended = state::end_release(command.host, *node); !ended) {
    return std::unexpected(report_error(command, ended.error()));
  }
  return *node;
}

Result<> check_reason(const std::string& reason) {
  if (printable(reason) != printable(reason, state::kLongestReason)) {
    return fail(ErrorCode::kInvalid,
                fmt::format("--reason has more than {} characters: shorten it; a link to the "
                            "ticket is enough",
                            state::kLongestReason));
  }
  return {};
}

ExitCode pause(const Command& command) {
  const auto& arguments = command.arguments;
  const auto& own = own_options<PauseArguments>(command);
  if (auto valid = check_reason(own.reason); !valid) {
    return report_error(command, valid.error(), ExitCode::kUsage);
  }
  const auto start = now();
  const state::Paused paused{.since = start,
                             .until = later(start, own.length),
                             .reason = own.reason,
                             .by = user_name(),
                             .change_id = arguments.change_id};
  if (auto written = state::write_pause(command.host, paused); !written) {
    return report_error(command, written.error());
  }
  const auto until = utc_text(paused.until.wall);
  if (arguments.json) {
    print_json(command.terminal, "pause", config::Cluster{}, "", ExitCode::kDone,
               {{"until", until}});
  } else {
    const bool runs = host::is_held(daemon_lock(arguments.root)).value_or(true);
    command.terminal.print_always(fitting(
        fmt::format("paused until {}: {}. End it with `spark-reconcile resume`\n", until,
                    runs ? "no drift is corrected, differences are still reported"
                         : "no daemon runs here that could correct drift, and one that is started "
                           "until then corrects none"),
        command.terminal));
    print_next(command.terminal, arguments, "End it", command_line_for("resume", arguments));
  }
  return ExitCode::kDone;
}

ExitCode resume(const Command& command) {
  auto& files = command.host.files;
  const auto released = end_own_release(command);
  if (!released) return released.error();
  const auto here = node_here(command.host);
  const auto left_alone = here && *here ? node_state::count_left_alone((*here)->state) : 0;
  const bool was_paused = state::read_pause(command.host, now()).has_value();
  if (auto noted = state::note_by_hand(files, command.arguments.change_id); !noted) {
    return report_error(command, noted.error());
  }
  if (auto removed = state::remove_pause(files); !removed) {
    return report_error(command, removed.error());
  }
  if (command.arguments.json) {
    print_json(command.terminal, "resume", config::Cluster{}, *released, ExitCode::kDone,
               {{"was_paused", was_paused},
                {"was_released", !released->empty()},
                {"left_alone", left_alone}});
    return ExitCode::kDone;
  }
  std::string text;
  if (!released->empty()) {
    text += fmt::format("{} is no longer released: the daemon sets it up as the file says\n",
                        *released);
  }
  if (was_paused) text += "resumed\n";
  if (left_alone > 0) {
    text += fmt::format("{} that the daemon left alone is corrected again\n",
                        counted(left_alone, "resource"));
  }
  command.terminal.print_always(text.empty() ? "there was no pause\n"
                                             : fitting(text, command.terminal));
  print_next(command.terminal, command.arguments, "How it stands",
             command_line_for("status", command.arguments));
  return ExitCode::kDone;
}

constexpr auto kPauseOptions = std::to_array<OptionRow>({
    {"--for",
     &Value::kDuration,
     in<&PauseArguments::length>(),
     "how long: 2h (168h at most)",
     {"", "168h", "hm"},
     "",
     true},
    {"--reason", &Value::kText, in<&PauseArguments::reason>(),
     "why, shown in status and on the page (200 characters at most)"},
    kChangeIdOption,
});

constexpr std::array kResumeOptions{kChangeIdOption};

}  // namespace

extern const VerbSpec kPauseVerb{
    .name = "pause",
    .group = VerbGroup::kService,
    .about = "stop the daemon from correcting drift for a while; it keeps monitoring",
    .needs_root = true,
    .options = own_rows<PauseArguments>(kPauseOptions),
    .run = pause};

extern const VerbSpec kResumeVerb{
    .name = "resume",
    .group = VerbGroup::kService,
    .about = "let the daemon correct drift again: ends a pause, a release and every contest",
    .needs_root = true,
    .options = {kResumeOptions},
    .run = resume};

}  // namespace spark::cli
