#pragma once
// What `status` and `plan` show of the cables beside their links.

#include <map>
#include <string>
#include <vector>

#include "cli/plan/plan_context.hpp"
#include "cli/terminal.hpp"
#include "node_state/node_state.hpp"

namespace spark::cli {

/// By link; a rail that is not in it is not proven.
using CablesShown = std::map<std::string, gate::Cabling>;

CablesShown cables_of(const node_state::NodeState& state);

/// "✓ proven", "? not proven", "✗ wrong: spark3:0 instead", of the links of one cage.
std::string cable_mark(const std::vector<std::string>& links, const CablesShown& cables,
                       const Terminal& terminal);

/// A line for each rail that waits for a cable or a card, with what to do; empty: none does.
std::string cable_hints_text(PlanContext& context, const Terminal& terminal);

}  // namespace spark::cli
