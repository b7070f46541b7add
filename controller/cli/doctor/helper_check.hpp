#pragma once
// check_helpers: whether the helper programs start.

#include "cli/doctor/finding.hpp"

namespace spark::cli {

Findings check_helpers(const Command& command);

}  // namespace spark::cli
