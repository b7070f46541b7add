#pragma once
// Alerts of what prevents a pass from doing its work: SparkConfigRefused, SparkChangesRefused,
// SparkPassFailing, SparkStateLost.

#include <chrono>
#include <string>

#include "daemon/alerts/common/found_alerts.hpp"

namespace spark::daemon {

void find_config_refused(const NodeState& state, FoundAlerts& found);
bool file_is_judged(const Alert& alert, const NodeState& state);
std::string how_refusal_of_file_ended(const Alert& alert, const NodeState& state);

void find_changes_refused(const NodeState& state, FoundAlerts& found);

void find_pass_failing(const NodeState& state, FoundAlerts& found);

/// What is lost does not come back: somebody has to know, also after a weekend.
constexpr std::chrono::hours kStateLossCounts{72};
void find_state_lost(const NodeState& state, FoundAlerts& found);

}  // namespace spark::daemon
