#pragma once
// The page of `bench --report`: one HTML file that needs nothing else, to be shown to others.

#include <string>
#include <vector>

#include "state/bench_results.hpp"

namespace spark::cli {

/// Of the runs with each peer, in that order. It holds no script and loads nothing.
std::string bench_page(const std::vector<state::BenchResult>& results);

}  // namespace spark::cli
