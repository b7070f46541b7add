#pragma once
// Alerts of what the gate finds: SparkNodeNotReady, SparkGidMissing, SparkGidMoved,
// SparkLoopbackBelowFloor.

#include <chrono>
#include <string>

#include "daemon/alerts/common/found_alerts.hpp"

namespace spark::daemon {

void find_node_not_ready(const NodeState& state, FoundAlerts& found);
bool verdict_is_judged(const Alert& alert, const NodeState& state);
std::string how_verdict_ended(const Alert& alert, const NodeState& state);

void find_gid_missing(const NodeState& state, FoundAlerts& found);
bool gid_is_judged(const Alert& alert, const NodeState& state);

/// A process with the old index notices within that time, or has ended.
constexpr std::chrono::minutes kGidMoveCounts{10};
void find_gid_moved(const NodeState& state, FoundAlerts& found);

void find_loopback_below_floor(const NodeState& state, FoundAlerts& found);
bool bandwidth_is_judged(const Alert& alert, const NodeState& state);

}  // namespace spark::daemon
