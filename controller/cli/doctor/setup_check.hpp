#pragma once
// check_setup: what else sets up rails of this machine: units and scripts of guides, netplan files
// and NetworkManager profiles. check_fstab: mounts for which a boot waits.

#include "cli/doctor/finding.hpp"

namespace spark::cli {

/// By the same look as `init --from-host`. Files that claim a rail that the cluster file names are
/// the plan's.
Findings check_setup(const Command& command);

Findings check_fstab(const Command& command);

}  // namespace spark::cli
