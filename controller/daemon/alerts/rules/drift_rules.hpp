#pragma once
// Alerts of resources that are not as the file says: SparkResourceFailed, SparkDrift,
// SparkContested, SparkRecurringDrift.

#include <chrono>

#include "daemon/alerts/common/found_alerts.hpp"

namespace spark::daemon {

void find_resource_failed(const NodeState& state, FoundAlerts& found);
void find_drift(const NodeState& state, FoundAlerts& found);
void find_contested(const NodeState& state, FoundAlerts& found);

/// Drift that comes back more slowly than a contest.
constexpr std::chrono::hours kRecurringWithin{6};
void find_recurring_drift(const NodeState& state, FoundAlerts& found);

}  // namespace spark::daemon
