#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "cli/bench/scopes.hpp"
#include "cli/bench/verdict.hpp"
#include "host/hardware.hpp"

namespace spark::cli {
namespace {

constexpr auto kPcieX4 = static_cast<double>(host::kBitsOfPcieX4);
constexpr double kOfItArrives = 0.93;

}  // namespace

bool is_connectx(const state::BenchResult& result) {
  return !result.rails.empty() && std::ranges::all_of(result.rails, [](const auto& rail) {
    return rail.driver == "mlx5_core";
  });
}

bool are_all_of_speed(const state::BenchResult& result, std::uint32_t speed) {
  return std::ranges::all_of(result.rails,
                             [speed](const auto& rail) { return rail.speed == speed; });
}

std::string owners_see(const state::BenchResult& result) {
  if (!is_connectx(result)) return "";
  const bool is_alone = result.rails.size() == 1;
  if (are_all_of_speed(result, k100G) && !uses_two_cables(result)) {
    return is_alone ? "92 to 98 Gb/s" : "92 to 98 Gb/s over both rails of a 100G cable";
  }
  if (!are_all_of_speed(result, k200G)) return "";
  const auto* const rail = result.queue_pairs == 1   ? "92 to 98 Gb/s over one rail"
                           : result.queue_pairs == 4 ? "106 to 112 Gb/s over one rail"
                                                     : "92 to 112 Gb/s over one rail";
  const bool is_one_pcie_link = std::ranges::all_of(
      result.rails, [&](const auto& each) { return each.rail == result.rails.front().rail; });
  if (is_one_pcie_link) return rail;
  return fmt::format("{}, {}", rail,
                     uses_two_cables(result)
                         ? "190 to 215 over two cables"
                         : "185 to 195 over both, about 340 in both directions at once");
}

std::optional<double> bench_ceiling(const state::BenchResult& result,
                                    const std::vector<std::string>& links) {
  // A cage has one speed, which each of its rails reports; a rail has one PCIe link, which both
  // cages share.
  std::map<int, double> cages;
  std::set<int> pcie_links;
  for (const auto& rail : result.rails) {
    if (std::ranges::find(links, rail.link) == links.end()) continue;
    constexpr double kBitsOfMegabit = 1e6;
    if (rail.speed == 0) return std::nullopt;
    cages[rail.cage] = rail.speed * kBitsOfMegabit;
    pcie_links.insert(rail.rail);
  }
  if (cages.empty()) return std::nullopt;
  double speeds = 0;
  for (const auto& [cage, speed] : cages) speeds += speed;
  return std::min(speeds, kPcieX4 * static_cast<double>(pcie_links.size())) * kOfItArrives;
}

std::optional<double> bench_total(const state::BenchResult& result) {
  const auto links = bench_links(result);
  std::vector<double> numbers;
  for (const auto& column : bench_columns()) {
    const auto bits = bits_of(find_figure(result, links, column.operation, column.direction));
    if (bits > 0) numbers.push_back(bits);
  }
  return numbers.empty() ? std::nullopt : std::optional(std::ranges::min(numbers));
}

}  // namespace spark::cli
