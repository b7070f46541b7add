#pragma once
// PlanContext: the file, this machine, and the plan between them: what plan, apply and status start
// from.

#include <expected>
#include <string>

#include "cli/command.hpp"
#include "plan/plan.hpp"
#include "state/ledger.hpp"
#include "state/select.hpp"

namespace spark {

struct PlanContext {
  ClusterFile file;
  View view;
  Selection selection;
  Ledger ledger;
  Plan plan;  ///< with the objections of guard and routes
};

/// This machine, or what `facts` wrote of another.
Result<View> view_for(const Command& command);

/// Looks at the machine through `view` and plans, without a word to anyone: `note` is what should
/// be said beside the result. The file must be valid.
Result<PlanContext> plan_context(const Command& command, ClusterFile file, View view,
                                 std::string& note);

/// Likewise, but what is noted and what goes wrong is reported; the error is the exit code.
std::expected<PlanContext, ExitCode> reported_context(const Command& command, ClusterFile file,
                                                      View view);

/// Likewise for the file that the command line names and this machine (or the facts that it names).
std::expected<PlanContext, ExitCode> reported_context(const Command& command);

}  // namespace spark
