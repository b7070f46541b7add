#pragma once
// PlanContext: the file, this machine, and the plan between them: what plan, apply and status start
// from.

#include <expected>
#include <optional>
#include <string>

#include "cli/command.hpp"
#include "plan/plan.hpp"
#include "plan/rail_use.hpp"
#include "state/ledger.hpp"
#include "state/select.hpp"

namespace spark::cli {

struct PlanContext {
  ClusterFile file;
  host::View view;
  state::Selection selection;
  kinds::Ledger ledger;
  plan::Plan plan;  ///< with all refusals
  /// For a release, which asks for no link: the node of the file, whose cages a screen shows.
  std::optional<config::Node> before_release = std::nullopt;
  /// The rails that the plan disturbs and processes of this machine use.
  plan::RailUses uses;
};

/// A view of this machine, or of another one as `facts` wrote it.
Result<host::View> view_for(const Command& command);

/// Plans from `view`, and prints nothing: `note` is the text to print beside the result. The file
/// must be valid.
Result<PlanContext> plan_context(const Command& command, ClusterFile file, host::View view,
                                 std::string& note);

/// The same, but reports the note and any error; the error is the exit code.
std::expected<PlanContext, ExitCode> reported_context(const Command& command, ClusterFile file,
                                                      host::View view);

/// The same for the file that the command line names, and this machine or the facts that it names.
std::expected<PlanContext, ExitCode> reported_context(const Command& command);

/// The same, but the note is not reported: a result that shows no plan needs none.
std::expected<PlanContext, ExitCode> context_here(const Command& command, std::string& note);

}  // namespace spark::cli
