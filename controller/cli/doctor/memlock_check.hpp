#pragma once
// check_memlock: how much memory a new login, service or container may lock, against what the file
// asks.

#include "cli/doctor/finding.hpp"

namespace spark::cli {

/// Nothing where systemd does not run. What differs from the file is the plan's.
Findings check_memlock(const Command& command);

}  // namespace spark::cli
