#include "cli/text/cable_text.hpp"

#include <set>

#include <fmt/format.h>

#include "base/text.hpp"
#include "gate/common/hints.hpp"
#include "kinds/network/port_of.hpp"

namespace spark::cli {
namespace {

/// Unused cages of which the plan says that they are in use, and are not taken down.
std::set<int> cages_in_use(const PlanContext& context) {
  std::set<int> cages;
  for (const auto& item : context.plan.skipped) {
    if (item.skipped.id != kinds::kCageInUse) continue;
    const auto link = context.selection.node.links.find(item.key);
    if (link != context.selection.node.links.end() && link->second.rail) {
      cages.insert(link->second.rail->cage);
    }
  }
  return cages;
}

}  // namespace

CablesShown cables_of(const node_state::NodeState& state) {
  CablesShown cables;
  for (const auto& link : state.links) {
    if (link.cabling) cables.emplace(link.name, *link.cabling);
  }
  return cables;
}

std::string cable_mark(const std::vector<std::string>& links, const CablesShown& cables,
                       const Terminal& terminal) {
  // Both rails are one cable: one answer proves it.
  using gate::CablingState;
  gate::Cabling seen;
  for (const auto& link : links) {
    const auto cable = cables.find(link);
    const bool says_more = cable != cables.end() && seen.state != CablingState::kWrong &&
                           cable->second.state != CablingState::kNotProven;
    if (says_more) seen = cable->second;
  }
  // Never by colour alone.
  if (seen.state == CablingState::kProven) return terminal.paint(Tone::kGood, "✓") + " proven";
  if (seen.state == CablingState::kWrong) {
    const auto by = seen.by.text();
    return fmt::format("{} wrong: {} instead", terminal.paint(Tone::kBad, "✗"),
                       by.empty() ? "another end" : printable(by));
  }
  return terminal.paint(Tone::kChange, "?") + " not proven";
}

std::string cable_hints_text(PlanContext& context, const Terminal& terminal) {
  std::string text;
  for (const auto& hint :
       gate::cable_hints(context.selection.node, context.view, cages_in_use(context))) {
    text += fmt::format("  {} {}\n", terminal.paint(Tone::kChange, "cable:"), printable(hint));
  }
  return text;
}

}  // namespace spark::cli
