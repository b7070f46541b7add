#include "cli/bench/last_measured.hpp"

#include <algorithm>
#include <ranges>
#include <span>

#include <fmt/format.h>

#include "cli/bench/scopes.hpp"
#include "cli/bench/verdict.hpp"
#include "config/parse/parse.hpp"
#include "protocol/paths.hpp"

namespace spark::cli {
namespace {

/// Half of the cable, or less, is no noise.
constexpr double kFarBelow = 0.5;

double total_of(const state::BenchResult& result) { return bench_total(result).value_or(0); }

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

bool is_newest_of_its_peer(const std::vector<state::BenchResult>& results, std::size_t index) {
  const auto later = std::span(results).subspan(index + 1);
  return std::ranges::none_of(later,
                              [&](const auto& each) { return each.peer == results[index].peer; });
}

}  // namespace

std::vector<LastMeasured> last_measured(const std::vector<state::BenchResult>& results,
                                        host::Files& files) {
  std::vector<LastMeasured> all;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto& now = results[i];
    if (!is_newest_of_its_peer(results, i) || !is_still_named(files, now.peer)) continue;
    LastMeasured measured{.peer = now.peer, .bits = total_of(now), .at = now.at};
    const auto* good =
        is_connectx(now) ? last_good_before(now, std::span(results).first(i)) : nullptr;
    if (good != nullptr) {
      measured.before = LastMeasured::Before{.bits = total_of(*good), .at = good->at};
    }
    all.push_back(std::move(measured));
  }
  return all;
}

std::string last_measured_text(const LastMeasured& measured) {
  const auto now = measured.bits / kBitsOfGigabit;
  if (!measured.before) {
    return fmt::format("{:.{}f} Gb/s with {} at {}", now, now < 10 ? 2 : 0, measured.peer,
                       measured.at);
  }
  return fmt::format("{:.0f} → {:.0f} Gb/s with {} since {}",
                     measured.before->bits / kBitsOfGigabit, now, measured.peer,
                     measured.before->at);
}

}  // namespace spark::cli
