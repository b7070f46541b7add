#include "cli/run.hpp"

#include <algorithm>
#include <array>

#include "cli/question.hpp"

namespace spark::cli {
namespace {

/// What each verb does; main runs the daemon, which is no part of this library.
struct Function {
  Verb verb{};
  ExitCode (*run)(const Command&) = nullptr;
};

constexpr std::array kFunctions{
    Function{Verb::kInit, init},
    Function{Verb::kValidate, validate},
    Function{Verb::kJoin, join},
    Function{Verb::kPlan, show_plan},
    Function{Verb::kApply, apply},
    Function{Verb::kConfirm, confirm},
    Function{Verb::kRollback, rollback},
    Function{Verb::kHistory, history},
    Function{Verb::kDoctor, doctor},
    Function{Verb::kRelease, apply},
    Function{Verb::kStatus, status},
    Function{Verb::kGate, gate},
    Function{Verb::kExport, export_environment},
    Function{Verb::kFacts, facts},
    Function{Verb::kWait, wait_until_ready},
    Function{Verb::kPause, pause},
    Function{Verb::kResume, resume},
    Function{Verb::kMute, mute},
    Function{Verb::kEvents, events},
    Function{Verb::kFollow, follow},
    Function{Verb::kSync, sync_source},
    Function{Verb::kBench, bench},
    Function{Verb::kExplain, explain},
    Function{Verb::kTopology, topology},
    Function{Verb::kVersion, version},
};
static_assert(kFunctions.size() == std::size_t{static_cast<std::uint8_t>(Verb::kVersion)} - 1,
              "each verb has a row, but the daemon and rollout, which is an engine's");

}  // namespace

ExitCode run(const Command& command) {
  const auto found = std::ranges::find(kFunctions, command.arguments.verb, &Function::verb);
  if (found == kFunctions.end()) {
    return ExitCode::kUsage;
  }
  // It asks by itself: there is no plan.
  const bool asks_itself = command.arguments.verb == Verb::kFollow;
  return can_be_asked(command.arguments) && !asks_itself
             ? ask_before(command, found->run, ask_on_terminal)
             : found->run(command);
}

}  // namespace spark::cli
