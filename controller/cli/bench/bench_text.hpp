#pragma once
// The table of `bench`, for a terminal and for a file.

#include <string>

#include "cli/terminal.hpp"
#include "state/bench_results.hpp"

namespace spark::cli {

/// Gb/s of each rail and of all together, by operation and direction, latency, what the hardware
/// can carry, and the verdicts. Ends with a line feed.
std::string bench_text(const state::BenchResult& result, const Terminal& terminal);

/// What changed since the earlier result with the same peer over the same rails:
/// "98 → 12 Gb/s since 2026-01-31T09:30:00Z". Empty: within a tenth, or not comparable.
std::string bench_change(const state::BenchResult& before, const state::BenchResult& now);

}  // namespace spark::cli
