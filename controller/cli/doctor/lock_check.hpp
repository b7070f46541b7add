#pragma once
// check_lock: whether somebody changes this machine now.

#include "cli/doctor/finding.hpp"

namespace spark::cli {

/// Looked at and not taken: an apply beside a doctor would end "busy".
Findings check_lock(const Command& command);

}  // namespace spark::cli
