#include <chrono>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "daemon/alerts/rules/rules.hpp"
#include "daemon/common/node_state_names.hpp"
#include "diagnosis/kinds.hpp"

namespace spark::daemon {
namespace {

/// A node before this one has the file on trial for a minute, or is being rebooted.
constexpr std::chrono::minutes kRollsWithin{10};

}  // namespace

void find_disturb_waits(const NodeState& state, FoundAlerts& found) {
  if (!is_overdue(state)) return;
  auto& alert = found.add_about(node_state::is_of_resource(state.disturb_waits.front()), {},
                                "changes of the file wait for the end of a job",
                                oldest_of(state.disturb_waits));
  for (const auto& wait : state.disturb_waits) alert.description += change_text(wait) + "\n";
  alert.description += fmt::format("{}", fmt::join(reasons_of(state.disturb_waits), "\n"));
}

std::string how_disturb_waits_ended(const Alert& /*alert*/, const NodeState& state) {
  return state.disturb_waits.empty() ? "nothing waits any more" : "the file changed";
}

void find_rollout_held(const NodeState& state, FoundAlerts& found) {
  if (!state.rollout || state.pass_at.boot - state.rollout->since.boot < kRollsWithin) return;
  auto& alert = found.add_about(node_state::is_named(diagnosis::kRollout), {},
                                "a changed file waits for other nodes", state.rollout->since);
  for (const auto& wait : state.rollout->waits) {
    alert.description += fmt::format("{} {}\n", wait.node, wait.why);
  }
}

std::string how_rollout_ended(const Alert& /*alert*/, const NodeState& /*state*/) {
  return "the file waits no longer";
}

}  // namespace spark::daemon
