#pragma once
// What rails can carry by their links, what owners see of it, what a measurement came to, and what
// its numbers mean beside these.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "state/bench_results.hpp"

namespace spark::cli {

inline constexpr std::uint32_t k100G = 100'000;  ///< Mb/s
inline constexpr std::uint32_t k200G = 200'000;  ///< Mb/s

/// All rails are of one. Of other devices a number says nothing about the hardware.
bool is_connectx(const state::BenchResult& result);

/// All rails negotiated it.
bool are_all_of_speed(const state::BenchResult& result, std::uint32_t speed);

/// What owners of DGX Sparks see over such rails, as a clause. Empty: nobody reported such a link,
/// or it is no ConnectX.
std::string owners_see(const state::BenchResult& result);

/// The most that these links carry together, bits a second: min(sum of link speeds, 126 Gb/s for
/// each PCIe x4 link in use) × 0.93. Empty: a link's speed is not known.
std::optional<double> bench_ceiling(const state::BenchResult& result,
                                    const std::vector<std::string>& links);

/// The figure that `--minimum` is held to: the worst number of all rails together (of the only
/// rail, where one was measured) in one direction. Empty: none was measured.
std::optional<double> bench_total(const state::BenchResult& result);

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
