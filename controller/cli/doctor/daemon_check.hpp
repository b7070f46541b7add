#pragma once
// check_daemon: whether the daemon runs, and what it refuses or leaves alone.

#include <optional>
#include <string>
#include <vector>

#include "cli/daemon_status.hpp"
#include "cli/doctor/finding.hpp"

namespace spark::cli {

/// What the daemon reports; empty: all is well. `gate` is what its gate saw last.
Findings findings_of(const DaemonStatus& word, const std::optional<gate::GateReport>& gate,
                     std::string_view refused_by);
Findings check_daemon(const Command& command);

/// It runs, and leaves alone each of these resources ("mtu enp1s0f0np0"), or the node is released.
bool daemon_leaves_alone(const Command& command, const std::vector<std::string>& resources);

}  // namespace spark::cli
