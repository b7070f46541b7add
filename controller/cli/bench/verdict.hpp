#pragma once
// What the numbers of `bench` mean: beside what the links can carry and what owners see.

#include <string>
#include <string_view>
#include <vector>

#include "cli/bench/capacity.hpp"  // IWYU pragma: export
#include "state/bench_results.hpp"

namespace spark::cli {

/// One thing that the numbers tell.
struct BenchVerdict {
  std::string_view name;  ///< a word of the table in docs/howto/bench.md: "right", "pcie-x2", …
  bool good = true;
  std::string what;    ///< a sentence without its full stop
  std::string remedy;  ///< what to do, as a sentence; empty where nothing is to be done
};

/// Never empty. Of a device that is no ConnectX it judges nothing, and says so.
std::vector<BenchVerdict> bench_verdicts(const state::BenchResult& result);

/// Every name that a verdict can have, in the order of the table in docs/howto/bench.md.
const std::vector<std::string_view>& bench_verdict_names();

}  // namespace spark::cli
