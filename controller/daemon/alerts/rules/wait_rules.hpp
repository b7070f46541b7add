#pragma once
// Alerts of changes that wait: SparkDisturbWaits (for the end of a job), SparkRolloutHeld (for
// other nodes).

#include <string>

#include "daemon/alerts/common/found_alerts.hpp"

namespace spark::daemon {

void find_disturb_waits(const NodeState& state, FoundAlerts& found);
std::string how_disturb_waits_ended(const Alert& alert, const NodeState& state);

void find_rollout_held(const NodeState& state, FoundAlerts& found);
std::string how_rollout_ended(const Alert& alert, const NodeState& state);

}  // namespace spark::daemon
