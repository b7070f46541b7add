#include "cli/doctor/bench_check.hpp"

#include <algorithm>
#include <optional>
#include <ranges>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/bench/capacity.hpp"
#include "cli/bench/scopes.hpp"
#include "config/parse/parse.hpp"
#include "protocol/paths.hpp"
#include "state/bench_results.hpp"

namespace spark::cli {
namespace {

/// Half of the cable, or less, is no noise.
constexpr double kFarBelow = 0.5;

double total_of(const state::BenchResult& result) { return bench_total(result).value_or(0); }

/// The last one that carried what such rails carry here, where `now` is far below the best of
/// `earlier`.
const state::BenchResult* last_good_before(const state::BenchResult& now,
                                           std::span<const state::BenchResult> earlier) {
  double best = 0;
  for (const auto& each : earlier) {
    if (are_comparable(each, now)) best = std::max(best, total_of(each));
  }
  const auto total = total_of(now);
  if (total == 0 || total >= kFarBelow * best) return nullptr;
  for (const auto& each : std::views::reverse(earlier)) {
    if (are_comparable(each, now) && total_of(each) >= kFarBelow * best) return &each;
  }
  return nullptr;
}

/// A peer that left the cluster cannot be measured again. With no valid file it stays.
bool is_still_named(host::Files& files, const std::string& peer) {
  const auto text = files.read(protocol::kDefaultFile);
  if (!text || !*text) return true;
  const auto parsed = config::parse(**text);
  return config::has_errors(parsed.diagnostics) || parsed.cluster.nodes.contains(peer);
}

Finding finding_of_slow_peer(const state::BenchResult& good, const state::BenchResult& now) {
  return {"bench", false,
          fmt::format("{:.0f} → {:.0f} Gb/s with {} since {}", total_of(good) / kBitsOfGigabit,
                      total_of(now) / kBitsOfGigabit, now.peer, good.at),
          fmt::format("`spark-reconcile bench {}` measures again and says what such a number means",
                      now.peer)};
}

bool is_newest_of_its_peer(const std::vector<state::BenchResult>& results, std::size_t index) {
  const auto later = std::span(results).subspan(index + 1);
  return std::ranges::none_of(later,
                              [&](const auto& each) { return each.peer == results[index].peer; });
}

}  // namespace

Findings check_bench(const Command& command) {
  const auto results = state::read_bench_results(command.host.files);
  if (!results) {
    return {
        {"bench", false, results.error().what,
         "`sudo spark-reconcile bench` measures again; a file that is no regular one, move away"}};
  }
  Findings findings;
  for (std::size_t i = 0; i < results->size(); ++i) {
    const auto& now = (*results)[i];
    if (!is_newest_of_its_peer(*results, i) || !is_connectx(now)) continue;
    const auto* good = last_good_before(now, std::span(*results).first(i));
    if (good != nullptr && is_still_named(command.host.files, now.peer)) {
      findings.push_back(finding_of_slow_peer(*good, now));
    }
  }
  return findings;
}

}  // namespace spark::cli
