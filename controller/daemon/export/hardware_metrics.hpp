#pragma once
// tell_hardware: the metrics of the hardware below the links.

#include "daemon/common/node_state_names.hpp"
#include "daemon/export/prometheus_text.hpp"

namespace spark::daemon {

/// At most kMostHardwareSeries, whatever the node is like.
void tell_hardware(Exposition& out, const HardwareState& hardware);

constexpr std::size_t kMostHardwareSeries = 80;

}  // namespace spark::daemon
