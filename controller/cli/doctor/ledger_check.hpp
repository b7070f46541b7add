#pragma once
// check_ledger: whether all that is remembered can be read.

#include "cli/doctor/finding.hpp"

namespace spark::cli {

Findings check_ledger(const Command& command);

}  // namespace spark::cli
