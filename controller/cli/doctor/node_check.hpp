#pragma once
// check_node: what this machine's plan shows: what differs from the file, is skipped, or lacks its
// cable.

#include "cli/doctor/finding.hpp"

namespace spark::cli {

/// Empty where the cluster file is not valid: nothing is known of the node then.
Findings check_node(const Command& command);

}  // namespace spark::cli
