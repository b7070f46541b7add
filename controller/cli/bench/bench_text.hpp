#pragma once
// What `bench` shows: the table, and the page of `bench --report`.

#include <string>
#include <vector>

#include "cli/terminal.hpp"
#include "state/bench_results.hpp"

namespace spark::cli {

/// Gb/s of each rail and of all together, by operation and direction, latency, what the hardware
/// can carry, and the verdicts. Ends with a line feed.
std::string bench_text(const state::BenchResult& result, const Terminal& terminal);

/// What changed since the earlier result with the same peer over the same rails:
/// "98 → 12 Gb/s since 2026-01-31T09:30:00Z". Empty: within a tenth, or not comparable.
std::string bench_change(const state::BenchResult& before, const state::BenchResult& now);

/// One HTML file that needs nothing else, to be shown to others: of the runs with each peer, in
/// that order. It holds no script and loads nothing.
std::string bench_page(const std::vector<state::BenchResult>& results);

}  // namespace spark::cli
