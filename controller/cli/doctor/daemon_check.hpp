#pragma once
// check_daemon: whether the daemon runs, and what it refuses or leaves alone.

#include <string>
#include <string_view>
#include <vector>

#include "cli/doctor/finding.hpp"
#include "cli/node_here.hpp"

namespace spark::cli {

/// What the daemon reports; empty: all is well.
Findings findings_of(const NodeHere& here, std::string_view refused_by);
Findings check_daemon(const Command& command);

/// It runs, and leaves alone each of these resources ("mtu enp1s0f0np0"), or the node is released.
bool daemon_leaves_alone(const Command& command, const std::vector<std::string>& resources);

}  // namespace spark::cli
