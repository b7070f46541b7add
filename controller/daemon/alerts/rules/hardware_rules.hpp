#pragma once
// Alerts of the hardware: SparkHardwareFault, SparkErrorsGrow, SparkPauseStorm.

#include <string>

#include "daemon/alerts/common/found_alerts.hpp"

namespace spark::daemon {

/// How the machine is set up, and what is hot: what one look shows.
void find_hardware_fault(const NodeState& state, FoundAlerts& found);
/// Counters of a link, and uncorrected errors of PCIe.
void find_errors_grow(const NodeState& state, FoundAlerts& found);
void find_pause_storm(const NodeState& state, FoundAlerts& found);

bool hardware_is_judged(const Alert& alert, const NodeState& state);
/// A daemon that has just started cannot say that nothing grows.
bool growth_is_judged(const Alert& alert, const NodeState& state);
std::string how_hardware_fault_ended(const Alert& alert, const NodeState& state);

}  // namespace spark::daemon
