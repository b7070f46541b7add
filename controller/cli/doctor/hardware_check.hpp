#pragma once
// check_hardware: what the hardware shows of faults that no file can correct, a row for each sign.
// docs/explain/hardware.md says what each means.

#include <vector>

#include "cli/doctor/finding.hpp"
#include "cli/state_here/node_here.hpp"
#include "host/hardware.hpp"
#include "state/known_releases.hpp"

namespace spark::cli {

Findings check_hardware(const Command& command);

/// Of one look, and of the faults that the daemon found in several: those that grow.
Findings findings_of_hardware(const host::HardwareFacts& facts,
                              const std::vector<host::HardwareSign>& of_daemon,
                              const state::KnownReleases& known = {});

}  // namespace spark::cli
