#pragma once
// What the verbs that change this machine have in common.

#include <functional>
#include <string>

#include "cli/command.hpp"
#include "cli/plan/plan_context.hpp"

namespace spark::cli {

/// What goes with the changes.
struct AroundApply {
  std::function<Result<>()> before;    ///< has to succeed before the first change
  std::function<Result<>()> reversed;  ///< afterwards, where the node is not as was planned
};

/// Shows the plan, carries it out, and reports the result. The caller holds the lock, and no
/// journal waits. `rolls_back`: as ApplyRequest has it; with it the caller says more, and what is
/// next.
ExitCode apply_plan(const Command& command, PlanContext& context,
                    const std::string& rolls_back = {}, const AroundApply& around = {});

/// After what is applied: is it ready? Where something waits or cannot be read, which and why.
/// After a release: the way back.
void print_what_is_next(const Command& command, ExitCode code);

}  // namespace spark::cli
