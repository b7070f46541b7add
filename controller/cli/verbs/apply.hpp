#pragma once
// What the verbs that change this machine have in common.

#include <string>

#include "cli/command.hpp"
#include "cli/plan_context.hpp"

namespace spark::cli {

/// Errors: kBusy where the daemon follows another file than that at `path`, and would overwrite
/// this plan's changes at once.
Result<> daemon_agrees(const Command& command, const plan::Plan& plan, const std::string& path);

/// Shows the plan, carries it out, and reports the result. The caller holds the lock, and no
/// journal waits. `rolls_back`: as ApplyRequest has it.
ExitCode apply_plan(const Command& command, PlanContext& context,
                    const std::string& rolls_back = {});

}  // namespace spark::cli
