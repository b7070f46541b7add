#pragma once
// check_file, check_last_good: whether the cluster file, and the last good one, can be used.

#include "cli/doctor/finding.hpp"

namespace spark::cli {

Findings check_file(const Command& command);
Findings check_last_good(const Command& command);

}  // namespace spark::cli
