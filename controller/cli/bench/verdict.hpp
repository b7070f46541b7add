#pragma once
// What the numbers of `bench` mean: beside what the links can carry and what owners see.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

/// The most that these links carry together, bits a second: min(sum of link speeds, 126 Gb/s for
/// each PCIe x4 link in use) × 0.93. Empty: a link's speed is not known.
std::optional<double> bench_ceiling(const state::BenchResult& result,
                                    const std::vector<std::string>& links);

/// The figure that `--minimum` is held to: the worst number of all rails together (of the only
/// rail, where one was measured) in one direction. Empty: none was measured.
std::optional<double> bench_total(const state::BenchResult& result);

}  // namespace spark::cli
