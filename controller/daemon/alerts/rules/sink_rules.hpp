#pragma once
// Alerts of receivers that alerts do not reach: SparkSinkFailing.

#include <string>

#include "daemon/alerts/common/found_alerts.hpp"

namespace spark::daemon {

void find_sink_failing(const NodeState& state, FoundAlerts& found);
bool sink_is_judged(const Alert& alert, const NodeState& state);
std::string how_sink_ended(const Alert& alert, const NodeState& state);

}  // namespace spark::daemon
