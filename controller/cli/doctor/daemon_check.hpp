#pragma once
// check_daemon: whether the daemon runs, and what it refuses or leaves alone.

#include "cli/daemon_status.hpp"
#include "cli/doctor/finding.hpp"

namespace spark::cli {

/// What the daemon reports; empty: all is well.
Findings findings_of(const DaemonStatus& word);
Findings check_daemon(const Command& command);

}  // namespace spark::cli
