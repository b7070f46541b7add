#pragma once
// ask_checks: the findings of many checks, each within its time.

#include <chrono>
#include <optional>
#include <vector>

#include "cli/doctor/finding.hpp"

namespace spark::cli {

/// By the order of `rows`; empty: that check had not answered in time, or waits behind one of its
/// lane that has not. Each check has `time` from its start. One that does not answer goes on in a
/// thread that nobody can end: the process has to end without waiting for it, and `command` must
/// last until then.
std::vector<std::optional<Findings>> ask_checks(const std::vector<CheckRow>& rows,
                                                const Command& command,
                                                std::chrono::milliseconds time);

}  // namespace spark::cli
