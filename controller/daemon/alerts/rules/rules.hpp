#pragma once
// The conditions of all alerts, and how each ends, by what they are about.

#include <chrono>
#include <string>

#include "daemon/alerts/common/found_alerts.hpp"

namespace spark::daemon {

// Alerts of what prevents a pass from doing its work: SparkConfigRefused, SparkChangesRefused,
// SparkPassFailing, SparkStateLost.

void find_config_refused(const NodeState& state, FoundAlerts& found);
bool file_is_judged(const Alert& alert, const NodeState& state);
std::string how_refusal_of_file_ended(const Alert& alert, const NodeState& state);

void find_changes_refused(const NodeState& state, FoundAlerts& found);

void find_pass_failing(const NodeState& state, FoundAlerts& found);

/// What is lost does not come back: somebody has to know, also after a weekend.
constexpr std::chrono::hours kStateLossCounts{72};
void find_state_lost(const NodeState& state, FoundAlerts& found);

// Alerts of resources that are not as the file says: SparkResourceFailed, SparkDrift,
// SparkContested, SparkRecurringDrift.

void find_resource_failed(const NodeState& state, FoundAlerts& found);
void find_drift(const NodeState& state, FoundAlerts& found);
void find_contested(const NodeState& state, FoundAlerts& found);

/// Drift that comes back more slowly than a contest.
constexpr std::chrono::hours kRecurringWithin{6};
void find_recurring_drift(const NodeState& state, FoundAlerts& found);

// Alerts of what the gate finds: SparkNodeNotReady, SparkGidMissing, SparkGidMoved,
// SparkLoopbackBelowFloor.

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

// Alerts of changes that wait: SparkDisturbWaits (for the end of a job), SparkRolloutHeld (for
// other nodes).

void find_disturb_waits(const NodeState& state, FoundAlerts& found);
std::string how_disturb_waits_ended(const Alert& alert, const NodeState& state);

void find_rollout_held(const NodeState& state, FoundAlerts& found);
std::string how_rollout_ended(const Alert& alert, const NodeState& state);

// Alerts of the followed repository: SparkSourceRefused.

/// Nothing was accepted from the repository yet, and what is in the way goes away by itself within
/// minutes: that is no refused file.
bool first_fetch_may_come(const NodeState& state);

void find_source_refused(const NodeState& state, FoundAlerts& found);
std::string how_source_fault_ended(const Alert& alert, const NodeState& state);

// Alerts of the hardware: SparkHardwareFault, SparkErrorsGrow, SparkPauseStorm.

/// How the machine is set up, and what is hot: what one look shows.
void find_hardware_fault(const NodeState& state, FoundAlerts& found);
/// Counters of a link, and uncorrected errors of PCIe.
void find_errors_grow(const NodeState& state, FoundAlerts& found);
void find_pause_storm(const NodeState& state, FoundAlerts& found);

bool hardware_is_judged(const Alert& alert, const NodeState& state);
/// A daemon that has just started cannot say that nothing grows.
bool growth_is_judged(const Alert& alert, const NodeState& state);
std::string how_hardware_fault_ended(const Alert& alert, const NodeState& state);

// Alerts of jobs: SparkJobOneRail.

void find_job_one_rail(const NodeState& state, FoundAlerts& found);
/// A daemon that has just started cannot say that it is over: it is one only after a minute.
bool job_one_rail_is_judged(const Alert& alert, const NodeState& state);
std::string how_job_one_rail_ended(const Alert& alert, const NodeState& state);

// Alerts of receivers that alerts do not reach: SparkSinkFailing.

void find_sink_failing(const NodeState& state, FoundAlerts& found);
bool sink_is_judged(const Alert& alert, const NodeState& state);
std::string how_sink_ended(const Alert& alert, const NodeState& state);

}  // namespace spark::daemon
