#include "cli/run.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/input/line_to_type.hpp"
#include "cli/node_here.hpp"
#include "cli/question.hpp"

namespace spark::cli {
namespace {

/// What each verb does, but the daemon.
struct Function {
  Verb verb{};
  ExitCode (*run)(const Command&) = nullptr;
  bool names_unfinished = false;  ///< it says first that an apply was interrupted
};

constexpr std::array kFunctions{
    Function{Verb::kInit, init},
    Function{Verb::kValidate, validate},
    Function{Verb::kJoin, join},
    Function{Verb::kPlan, show_plan, true},
    Function{Verb::kApply, apply},
    Function{Verb::kConfirm, confirm},
    Function{Verb::kRollback, rollback},
    Function{Verb::kHistory, history, true},
    Function{Verb::kDoctor, doctor},
    Function{Verb::kRelease, apply},
    Function{Verb::kStatus, status},
    Function{Verb::kGate, gate, true},
    Function{Verb::kExport, export_environment},
    Function{Verb::kFacts, facts},
    Function{Verb::kWait, wait_until_ready, true},
    Function{Verb::kPause, pause},
    Function{Verb::kResume, resume},
    Function{Verb::kMute, mute},
    Function{Verb::kEvents, events, true},
    Function{Verb::kFollow, follow},
    Function{Verb::kSync, sync_source},
    Function{Verb::kBench, bench},
    Function{Verb::kExplain, explain},
    Function{Verb::kTopology, topology},
    Function{Verb::kVersion, version},
};
static_assert(kFunctions.size() == std::size_t{static_cast<std::uint8_t>(Verb::kVersion)} - 1,
              "each verb has a row, but the daemon and rollout, which is an engine's");

/// Programs read a JSON document alone.
void name_unfinished(const Command& command) {
  const auto& arguments = command.arguments;
  if (arguments.json || arguments.quiet || !arguments.facts.empty()) return;
  command.terminal.complain(unfinished_text(unfinished_here(command)));
}

/// Others than root can do it: it only shows, or all that it changes is in a directory of the user.
bool needs_no_root(const Arguments& arguments) {
  const bool only_shows = (arguments.verb == Verb::kMute && arguments.mute_id.empty()) ||
                          (arguments.verb == Verb::kFollow && arguments.source_url.empty() &&
                           !arguments.stop && !arguments.check && arguments.accept.empty());
  const bool is_own = arguments.root != "/" && access(arguments.root.c_str(), W_OK) == 0;
  // It hears the other nodes by sockets that root alone may open.
  const bool hears = arguments.verb == Verb::kInit && arguments.discover;
  return !hears && (only_shows || is_own || !needs_root(arguments.verb));
}

}  // namespace

ExitCode run(const Command& command, std::span<const char* const> words,
             ExitCode (*daemon)(const Command&)) {
  const auto verb = command.arguments.verb;
  if (geteuid() != 0 && !needs_no_root(command.arguments)) {
    return report_error(command, {ErrorCode::kPermission,
                                  fmt::format("{} needs root: {}", name_of(verb),
                                              line_for_root({words.begin(), words.end()}))});
  }
  if (verb == Verb::kDaemon) return daemon(command);
  const auto found = std::ranges::find(kFunctions, verb, &Function::verb);
  if (found == kFunctions.end()) return ExitCode::kUsage;
  if (found->names_unfinished) name_unfinished(command);
  // It asks by itself: there is no plan.
  const bool asks_itself = verb == Verb::kFollow;
  return can_be_asked(command.arguments) && !asks_itself
             ? ask_before(command, found->run, ask_on_terminal)
             : found->run(command);
}

}  // namespace spark::cli
