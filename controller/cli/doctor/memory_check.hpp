#pragma once
// check_memory: whether all that is remembered can be read.

#include "cli/doctor/finding.hpp"

namespace spark::cli {

Findings check_memory(const Command& command);

}  // namespace spark::cli
