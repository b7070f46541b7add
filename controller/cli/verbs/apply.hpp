#pragma once
// What the verbs that change this machine have in common.

#include <string>

#include "cli/command.hpp"
#include "cli/plan_context.hpp"

namespace spark::cli {

/// Shows the plan, carries it out, and reports the result. The caller holds the lock, and no
/// journal waits. `rolls_back`: as ApplyRequest has it.
ExitCode apply_plan(const Command& command, PlanContext& context,
                    const std::string& rolls_back = {});

}  // namespace spark::cli
