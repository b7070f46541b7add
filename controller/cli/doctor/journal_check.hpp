#pragma once
// check_journal: whether an apply was interrupted, or waits for its confirmation.

#include "cli/doctor/finding.hpp"

namespace spark::cli {

Findings check_journal(const Command& command);

}  // namespace spark::cli
