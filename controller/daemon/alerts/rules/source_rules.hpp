#pragma once
// Alerts of the followed repository: SparkSourceRefused.

#include <string>

#include "daemon/alerts/common/found_alerts.hpp"

namespace spark::daemon {

/// Nothing was accepted from the repository yet, and what is in the way goes away by itself within
/// minutes: that is no refused file.
bool first_fetch_may_come(const NodeState& state);

void find_source_refused(const NodeState& state, FoundAlerts& found);
std::string how_source_fault_ended(const Alert& alert, const NodeState& state);

}  // namespace spark::daemon
