#pragma once
// What the verbs that change this machine have in common.

#include <string>

#include "cli/command.hpp"
#include "cli/plan_context.hpp"

namespace spark {

/// What is said beside an outcome where the history could not be told of it.
std::string not_in_history(const Error& error);

/// Errors: kBusy where the daemon follows another file than that at `path`, and would set all of
/// this back at once.
Result<> is_not_set_back(const Command& command, const Plan& plan, const std::string& path);

/// Shows the plan, carries it out, and says what came of it. The lock is held, and no journal
/// waits. `takes_back`: as ApplyRequest has it.
ExitCode apply_situation(const Command& command, PlanContext& context,
                         const std::string& takes_back = {});

}  // namespace spark
