#include "daemon/alerts/rules/wait_rules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "daemon/common/wait_text.hpp"

namespace spark::daemon {

void find_disturb_waits(const NodeState& state, FoundAlerts& found) {
  if (!is_overdue(state)) return;
  auto& alert = found.add({}, "changes of the file wait for the end of a job",
                          oldest_of(state.disturb_waits));
  for (const auto& wait : state.disturb_waits) alert.description += change_text(wait) + "\n";
  alert.description += fmt::format("{}", fmt::join(reasons_of(state.disturb_waits), "\n"));
}

std::string how_disturb_waits_ended(const Alert& /*alert*/, const NodeState& state) {
  return state.disturb_waits.empty() ? "nothing waits any more" : "the file changed";
}

}  // namespace spark::daemon
