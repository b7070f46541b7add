#include "daemon/reconcile/hardware_tracker.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace spark::daemon {
namespace {

using host::HardwareSign;

/// One loss of the link is what a reboot of the peer or a pulled cable does.
constexpr std::size_t kManyLosses = 3;
constexpr std::chrono::minutes kLossesCount{60};
/// Uncorrected PCIe errors are rare, and each of them is one too many.
constexpr std::chrono::minutes kAerCounts{60};
constexpr std::size_t kMostGrowths = 8;

/// A rate over less time says nothing of a storm: jobs make short bursts of pause frames.
constexpr std::chrono::seconds kRateTakes{30};
constexpr double kStormPerSecond = 1000;

HardwareSign sign_of(std::string_view name, const std::string& subject, bool is_fault,
                     std::string what, std::string remedy) {
  return {std::string(name), subject, is_fault, std::move(what),
          is_fault ? std::move(remedy) : std::string()};
}

bool is_discard(std::string_view kind) { return kind.ends_with("discard"); }

}  // namespace

void HardwareTracker::Counter::note(std::uint64_t value, Boot now, bool counts) {
  if (last && value < *last) grew.clear();  // reset: the driver was loaded again
  if (last && value > *last && counts) {
    for (auto more = std::min<std::uint64_t>(value - *last, kMostGrowths); more > 0; --more) {
      grew.push_back(now);
    }
    if (grew.size() > kMostGrowths) {
      grew.erase(grew.begin(), grew.end() - static_cast<std::ptrdiff_t>(kMostGrowths));
    }
  }
  last = value;
}

std::size_t HardwareTracker::Counter::grew_within(Boot duration, Boot now) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(grew, [&](Boot at) { return now - at < duration; }));
}

void HardwareTracker::note_errors(const host::LinkHardware& link, Boot now, Link& past) {
  const auto value_of = [&](std::string_view name) -> std::optional<std::uint64_t> {
    const auto found = link.statistics.find(std::string(name));
    return found == link.statistics.end() ? std::nullopt : std::optional(found->second);
  };
  // Symbols are lost while a link comes up or goes: only what grew under a steady carrier counts.
  const auto losses = past.errors.find(host::kLinkDown);
  const bool is_steady =
      past.carrier_changes == link.carrier_changes &&
      (losses == past.errors.end() || losses->second.last == value_of(host::kLinkDown));
  for (const auto& counter : host::kErrorCounters) {
    const auto value = value_of(counter.name);
    if (!value) {
      past.errors.erase(counter.name);
      continue;
    }
    past.errors[counter.name].note(*value, now, is_steady || counter.name == host::kLinkDown);
  }
  past.carrier_changes = link.carrier_changes;
}

void HardwareTracker::note_pause(const host::PauseFrames& frames, Boot now, Link& past) {
  const bool is_reset =
      past.paused && (frames.received < past.paused->received || frames.sent < past.paused->sent);
  if (!past.paused || is_reset) {
    past.paused = frames;
    past.paused_at = now;
    return;
  }
  const auto took = now - past.paused_at;
  if (took < kRateTakes) return;
  const double seconds = std::chrono::duration<double>(took).count();
  const auto is_storm = [&](std::uint64_t before, std::uint64_t after) {
    return static_cast<double>(after - before) / seconds > kStormPerSecond;
  };
  past.storm = is_storm(past.paused->received, frames.received)
                   ? "the other end asks this one to pause, more than 1000 times a second"
               : is_storm(past.paused->sent, frames.sent)
                   ? "this end asks the other one to pause, more than 1000 times a second"
                   : "";
  past.is_rated = true;
  past.paused = frames;
  past.paused_at = now;
}

void HardwareTracker::take_link(const host::LinkHardware& link, Boot now,
                                std::vector<HardwareSign>& signs) {
  auto& past = links_[link.link];
  if (past.appeared_ms != link.appeared_ms) past = {};  // another device of that name
  past.appeared_ms = link.appeared_ms;
  note_errors(link, now, past);
  if (!past.errors.empty()) {
    std::vector<std::string> growing;
    bool only_discards = true;
    for (const auto& counter : host::kErrorCounters) {
      const auto found = past.errors.find(counter.name);
      if (found == past.errors.end()) continue;
      const bool is_loss = counter.name == host::kLinkDown;
      const bool grows = is_loss ? found->second.grew_within(kLossesCount, now) >= kManyLosses
                                 : found->second.grew_within(kErrorsCount, now) > 0;
      if (!grows) continue;
      only_discards &= is_discard(counter.kind);
      growing.emplace_back(counter.words);
    }
    signs.push_back(sign_of(
        host::signs::kErrors, link.link, !growing.empty(),
        growing.empty() ? "no error counter grows"
                        : fmt::format("more and more: {}", fmt::join(growing, ", ")),
        only_discards ? fmt::format("one end is too slow for what arrives: `ethtool -S {}`, and "
                                    "what the machine was busy with",
                                    link.link)
                      : fmt::format("plug the cable in again at both ends, then try another one; "
                                    "`ethtool -S {} | grep phy` has the figures",
                                    link.link)));
  }
  if (const auto frames = host::pause_frames(link)) note_pause(*frames, now, past);
  if (past.is_rated) {
    signs.push_back(sign_of(host::signs::kPause, link.link, !past.storm.empty(),
                            past.storm.empty() ? "few pause frames" : past.storm,
                            "find the end that is too slow: its GPU or its memory keeps the card "
                            "waiting; `ethtool -S` has the figures of both ends"));
  }
}

HardwareState HardwareTracker::take(host::HardwareFacts facts, const host::KernelReleases& releases,
                                    const Moment& now) {
  HardwareState state{.at = now, .signs = host::hardware_signs(facts, releases)};
  std::set<std::string> links;
  std::set<std::string> functions;
  for (const auto& link : facts.links) {
    if (!host::is_connectx(link)) continue;
    links.insert(link.link);
    take_link(link, now.boot, state.signs);
    for (const auto& errors : link.pcie_errors) {
      // Two functions of a card are behind one root port.
      if (!functions.insert(errors.address).second) continue;
      auto& counter = functions_[errors.address];
      counter.note(errors.nonfatal + errors.fatal, now.boot, true);
      const bool grows = counter.grew_within(kAerCounts, now.boot) > 0;
      state.signs.push_back(
          sign_of(host::signs::kAer, errors.address, grows,
                  grows ? "PCIe errors that were not corrected, within the last hour"
                        : "no uncorrected PCIe error",
                  "`journalctl -k -g AER` has them; reboot, and where they come again, have the "
                  "machine looked at"));
    }
  }
  std::erase_if(links_, [&](const auto& entry) { return !links.contains(entry.first); });
  std::erase_if(functions_, [&](const auto& entry) { return !functions.contains(entry.first); });
  std::ranges::stable_sort(state.signs, {}, [](const HardwareSign& sign) {
    return std::ranges::find(host::kHardwareSigns, sign.name);
  });
  state.facts = std::move(facts);
  return state;
}

}  // namespace spark::daemon
