#pragma once
// The one screen of `status`: the node's cages, rails and cables as they are, and as they should
// be.

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/plan/plan_context.hpp"
#include "cli/text/cable_text.hpp"
#include "diagnosis/diagnose.hpp"

namespace spark::cli {

/// All but the closing line.
std::string status_text(PlanContext& context, const CablesShown& cables, const Terminal& terminal);

/// The same for a screen, with reasons for what is skipped.
std::string status_screen(PlanContext& context, const CablesShown& cables,
                          const Terminal& terminal);

/// Each with its remedy, how it stands and what goes with it.
std::string roots_text(const std::vector<diagnosis::Root>& roots, const Terminal& terminal);

/// The closing line of a node that was released.
std::string released_text(const Command& command);

/// The closing line: how the node stands, and the command that comes next.
std::string status_line(const plan::Plan& plan, const Command& command);

/// The same for a screen.
std::string status_closing(const plan::Plan& plan, const Command& command);

}  // namespace spark::cli
