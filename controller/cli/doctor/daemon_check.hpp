#pragma once
// findings_of: what check_daemon says of a daemon that runs.

#include "cli/doctor/finding.hpp"
#include "cli/state_here/node_here.hpp"

namespace spark::cli {

/// What it refuses or leaves alone, and its verdict; empty: all is well.
Findings findings_of(const NodeHere& here);

}  // namespace spark::cli
