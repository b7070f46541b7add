#pragma once
// The steps of a plan as items of a screen: what happens to each link in a few short lines, and
// what to the node beside its links.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal.hpp"
#include "plan/plan.hpp"

namespace spark::cli {

/// One line of a screen, for one step or several.
struct PlanItem {
  std::string_view sign;  ///< "+" new, "~" changed, "-" removed
  std::string text;       ///< "mtu 1500 → 9000"
  std::string value;      ///< what of the text is another one on the twin rail: an address
  std::string disturbs;   ///< whom: "traffic pauses for a moment"
  config::Where where;
};

Tone tone_of(std::string_view sign);

struct PlanItems {
  std::map<std::string, std::vector<PlanItem>> links;  ///< by the name of the link
  std::vector<PlanItem> node;                          ///< in the order of the plan
};

PlanItems items_of(const plan::Plan& plan);

/// The same is done to both, but for the values.
bool are_twins(const std::vector<PlanItem>& one, const std::vector<PlanItem>& other);

}  // namespace spark::cli
