#pragma once
// check_page: whether anybody serves the page and the metrics while the daemon runs.

#include "cli/doctor/finding.hpp"

namespace spark::cli {

/// Nothing where no daemon runs, which check_daemon says.
Findings check_page(const Command& command);

}  // namespace spark::cli
