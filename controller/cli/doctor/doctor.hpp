#pragma once
// find_problems: all checks of `doctor`.

#include "cli/doctor/finding.hpp"

namespace spark::cli {

/// In the order in which people read them. Of what only root can see nothing is claimed.
Findings find_problems(const Command& command);

}  // namespace spark::cli
