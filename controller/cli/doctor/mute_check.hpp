#pragma once
// check_muted: of which alerts the daemon tells nobody.

#include "cli/doctor/finding.hpp"

namespace spark::cli {

/// Empty where nothing is muted, and where no daemon has reported in this boot.
Findings check_muted(const Command& command);

}  // namespace spark::cli
