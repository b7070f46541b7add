#include "jobs/rail_traffic.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "host/hardware.hpp"

namespace spark::jobs {
namespace {

constexpr std::uint64_t kBitsOfOctet = 8;
constexpr std::uint64_t kOctetsOfWord = 4;
constexpr double kThousand = 1000;

using Passed = std::chrono::milliseconds;

std::optional<host::BothWays> octets_between(const std::optional<host::BothWays>& before,
                                             const std::optional<host::BothWays>& now,
                                             std::uint64_t octets) {
  if (!before || !now) return std::nullopt;
  const auto received = host::grown(before->received, now->received);
  const auto sent = host::grown(before->sent, now->sent);
  if (!received || !sent) return std::nullopt;
  return host::BothWays{.received = *received * octets, .sent = *sent * octets};
}

/// All counters of that event together.
std::optional<std::uint64_t> events_between(host::RailEvent event, const host::RailCounters& before,
                                            const host::RailCounters& now) {
  std::optional<std::uint64_t> sum;
  for (const auto& counter : host::kRailEvents) {
    const auto then = before.events.find(std::string(counter.name));
    const auto since = now.events.find(std::string(counter.name));
    if (counter.event != event || then == before.events.end() || since == now.events.end()) {
      continue;
    }
    const auto count = host::grown(then->second, since->second);
    if (!count) return std::nullopt;
    sum = sum.value_or(0) + *count;
  }
  return sum;
}

double a_second(std::uint64_t count, Passed passed) {
  return static_cast<double>(count) * kThousand / static_cast<double>(passed.count());
}

void add_rates(const RailGrowth& growth, Passed passed, Passed lifespan, RailTraffic& traffic) {
  if (passed.count() <= 0) return;
  const auto bits = [&](const host::BothWays& octets) {
    return BitRate{
        .received = static_cast<std::uint64_t>(a_second(octets.received * kBitsOfOctet, passed)),
        .sent = static_cast<std::uint64_t>(a_second(octets.sent * kBitsOfOctet, passed))};
  };
  traffic.carried = growth.carried.transform(bits);
  traffic.beside_rdma = growth.beside_rdma.transform(bits);
  // The driver may have answered with the same numbers twice.
  if (passed <= lifespan) return;
  const auto events = [&](std::uint64_t count) { return a_second(count, passed); };
  traffic.sent_again = growth.sent_again.transform(events);
  traffic.out_of_order = growth.out_of_order.transform(events);
  traffic.congestion = growth.congestion.transform(events);
}

std::optional<std::uint64_t> limit_of(const host::RailCounters& counters) {
  return counters.speed ? std::optional(std::min(*counters.speed, host::kBitsOfPcieX4))
                        : std::nullopt;
}

}  // namespace

RailGrowth growth_between(const Snapshot& before, const RailSnapshot& now) {
  const auto earlier = std::ranges::find(before.rails, now.link, &RailSnapshot::link);
  const bool is_same = earlier != before.rails.end() && now.link_index != 0 &&
                       earlier->link_index == now.link_index && earlier->device == now.device;
  if (!is_same) return {};
  const auto& then = earlier->counters;
  const auto& since = now.counters;
  const auto link = octets_between(then.link_octets, since.link_octets, 1);
  const auto rdma = octets_between(then.rdma_words, since.rdma_words, kOctetsOfWord);
  return {.carried = since.rdma_words ? rdma : link,
          .beside_rdma = since.rdma_words ? link : std::nullopt,
          .sent_again = events_between(host::RailEvent::kSentAgain, then, since),
          .out_of_order = events_between(host::RailEvent::kOutOfOrder, then, since),
          .congestion = events_between(host::RailEvent::kCongestion, then, since)};
}

std::vector<RailTraffic> rates_between(const Snapshot& before, const Snapshot& now) {
  std::vector<RailTraffic> all;
  const auto passed = now.at - before.at;
  for (const auto& look : now.rails) {
    auto& traffic =
        all.emplace_back(RailTraffic{.link = look.link,
                                     .device = look.device,
                                     .rail = look.rail,
                                     .in_file = look.in_file,
                                     .has_carrier = look.has_carrier,
                                     .limit = limit_of(look.counters),
                                     .counts_rdma = look.counters.rdma_words.has_value(),
                                     .carried = {},
                                     .beside_rdma = {},
                                     .sent_again = {},
                                     .out_of_order = {},
                                     .congestion = {},
                                     .unknown = look.unknown});
    add_rates(growth_between(before, look), passed, look.counters.lifespan, traffic);
  }
  return all;
}

std::string short_name(const RailTraffic& rail) {
  return rail.rail ? fmt::format("cage {} rail {}", rail.rail->cage, rail.rail->rail) : rail.link;
}

std::string name_of(const RailTraffic& rail) {
  return rail.rail
             ? fmt::format("rail {} of cage {} ({})", rail.rail->rail, rail.rail->cage, rail.link)
             : rail.link;
}

}  // namespace spark::jobs
