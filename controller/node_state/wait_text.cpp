#include "node_state/wait_text.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"

namespace spark::node_state {

std::string change_text(const DisturbWait& wait) {
  return fmt::format("{} {}: {} → {}", wait.kind, wait.key, or_absent(wait.have),
                     or_absent(wait.want));
}

std::vector<std::string> reasons_of(const DisturbWait& wait) {
  std::vector<std::string> reasons;
  for (const auto& use : wait.uses) reasons.push_back(plan::text_of(use));
  if (!wait.asked.empty()) reasons.push_back(wait.asked);
  return reasons;
}

std::vector<std::string> reasons_of(const std::vector<DisturbWait>& waits) {
  std::vector<std::string> all;
  for (const auto& wait : waits) {
    for (auto& reason : reasons_of(wait)) {
      if (std::ranges::find(all, reason) == all.end()) all.push_back(std::move(reason));
    }
  }
  return all;
}

bool is_overdue(const NodeState& state) {
  return !state.disturb_waits.empty() && state.disturb_patience &&
         state.pass_at.boot - oldest_of(state.disturb_waits).boot >= *state.disturb_patience;
}

Moment oldest_of(const std::vector<DisturbWait>& waits) {
  const auto oldest =
      std::ranges::min_element(waits, {}, [](const DisturbWait& wait) { return wait.since.boot; });
  return oldest == waits.end() ? Moment{} : oldest->since;
}

}  // namespace spark::node_state
