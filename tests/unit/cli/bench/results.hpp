#pragma once
// Results of `bench` as a pair of Sparks has them, for tests to change.

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "state/bench_results.hpp"

namespace spark::cli {

inline constexpr double kGigabit = 1e9;

inline state::BenchRail rail_of(int cage, int rail) {
  static const std::vector<std::vector<std::string>> kLinks{{"enp1s0f0np0", "enP2p1s0f0np0"},
                                                            {"enp1s0f1np1", "enP2p1s0f1np1"}};
  return {.link = kLinks.at(static_cast<std::size_t>(cage)).at(static_cast<std::size_t>(rail)),
          .cage = cage,
          .rail = rail,
          .driver = "mlx5_core",
          .speed = 200'000,
          .pcie_lanes = 4,
          .path_mtu = 4096,
          .latency_p50_us = 2.1,
          .latency_p99_us = 3.42};
}

inline std::vector<std::string> links_of(const state::BenchResult& result) {
  std::vector<std::string> links;
  links.reserve(result.rails.size());
  for (const auto& rail : result.rails) links.push_back(rail.link);
  return links;
}

/// Gb/s in the order WRITE to, WRITE from, READ to, READ from.
inline void add_figures(state::BenchResult& result, const std::vector<std::string>& links,
                        const std::vector<double>& gigabits) {
  const std::vector<std::pair<std::string, std::string>> kinds{
      {"write", "to"}, {"write", "from"}, {"read", "to"}, {"read", "from"}};
  for (std::size_t i = 0; i < gigabits.size(); ++i) {
    result.figures.push_back({.operation = kinds.at(i).first,
                              .direction = kinds.at(i).second,
                              .links = links,
                              .bits_per_second = gigabits[i] * kGigabit,
                              .failed = ""});
  }
}

/// `each` over each rail alone, `all` over all of them, `both` in both directions at once; 0:
/// nobody asked for that.
inline state::BenchResult result_of(std::vector<state::BenchRail> rails, double each, double all,
                                    double both) {
  state::BenchResult result{.at = "2026-01-31T09:30:00Z",
                            .version = "0.2.0",
                            .node = "spark1",
                            .peer = "spark2",
                            .seconds = 2,
                            .queue_pairs = 4,
                            .jobs = {},
                            .rails = std::move(rails),
                            .figures = {}};
  for (const auto& rail : result.rails) {
    add_figures(result, {rail.link}, {each, each - 0.2, each - 0.1, each - 0.4});
  }
  const auto links = links_of(result);
  if (links.size() > 1) add_figures(result, links, {all, all - 0.2, all - 0.1, all - 0.4});
  if (both > 0) {
    result.figures.push_back({.operation = "write",
                              .direction = "both",
                              .links = links,
                              .bits_per_second = both * kGigabit,
                              .failed = ""});
  }
  return result;
}

/// One cable of 200G, as it should be.
inline state::BenchResult pair_result(double each = 110, double all = 190, double both = 341) {
  return result_of({rail_of(0, 0), rail_of(0, 1)}, each, all, both);
}

inline state::BenchFigure& figure_of(state::BenchResult& result,
                                     const std::vector<std::string>& links,
                                     std::string_view operation, std::string_view direction) {
  return *std::ranges::find_if(result.figures, [&](const state::BenchFigure& figure) {
    return figure.links == links && figure.operation == operation && figure.direction == direction;
  });
}

/// What went over these links in one direction and the other becomes as much.
inline void set_figures(state::BenchResult& result, const std::vector<std::string>& links,
                        std::string_view operation, double gigabits) {
  for (auto& figure : result.figures) {
    if (figure.links == links && figure.operation == operation && figure.direction != "both") {
      figure.bits_per_second = gigabits * kGigabit;
    }
  }
}

}  // namespace spark::cli
