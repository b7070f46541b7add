#pragma once
// check_bench: whether the last measurement of `bench` was far below what the same rails carried.

#include "cli/doctor/finding.hpp"

namespace spark::cli {

/// One finding for each such peer that the file still names. It measures nothing.
Findings check_bench(const Command& command);

}  // namespace spark::cli
