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

std::optional<std::uint64_t> bits_a_second(std::uint64_t before, std::uint64_t now,
                                           std::uint64_t octets, Passed passed) {
  const auto count = host::grown(before, now);
  if (!count) return std::nullopt;
  const auto bits = static_cast<double>(*count * octets * kBitsOfOctet);
  return static_cast<std::uint64_t>(bits * kThousand / static_cast<double>(passed.count()));
}

std::optional<BitRate> rate(const std::optional<host::BothWays>& before,
                            const std::optional<host::BothWays>& now, std::uint64_t octets,
                            Passed passed) {
  if (!before || !now) return std::nullopt;
  const auto received = bits_a_second(before->received, now->received, octets, passed);
  const auto sent = bits_a_second(before->sent, now->sent, octets, passed);
  return received && sent ? std::optional(BitRate{.received = *received, .sent = *sent})
                          : std::nullopt;
}

/// All counters of that event together, a second.
std::optional<double> events(host::RailEvent event, const host::RailCounters& before,
                             const host::RailCounters& now, Passed passed) {
  // The driver may have answered with the same numbers twice.
  if (passed <= now.lifespan) return std::nullopt;
  std::optional<double> sum;
  for (const auto& counter : host::kRailEvents) {
    const auto then = before.events.find(std::string(counter.name));
    const auto since = now.events.find(std::string(counter.name));
    if (counter.event != event || then == before.events.end() || since == now.events.end()) {
      continue;
    }
    const auto count = host::grown(then->second, since->second);
    if (!count) return std::nullopt;
    sum = sum.value_or(0) +
          static_cast<double>(*count) * kThousand / static_cast<double>(passed.count());
  }
  return sum;
}

void add_rates(const RailSnapshot& before, const RailSnapshot& now, Passed passed,
               RailTraffic& traffic) {
  const auto link = rate(before.counters.link_octets, now.counters.link_octets, 1, passed);
  traffic.carried = traffic.counts_rdma ? rate(before.counters.rdma_words, now.counters.rdma_words,
                                               kOctetsOfWord, passed)
                                        : link;
  if (traffic.counts_rdma) traffic.beside_rdma = link;
  const auto of = [&](host::RailEvent event) {
    return events(event, before.counters, now.counters, passed);
  };
  traffic.sent_again = of(host::RailEvent::kSentAgain);
  traffic.out_of_order = of(host::RailEvent::kOutOfOrder);
  traffic.congestion = of(host::RailEvent::kCongestion);
}

std::optional<std::uint64_t> limit_of(const host::RailCounters& counters) {
  return counters.speed ? std::optional(std::min(*counters.speed, host::kBitsOfPcieX4))
                        : std::nullopt;
}

}  // namespace

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
    const auto earlier = std::ranges::find(before.rails, look.link, &RailSnapshot::link);
    const bool is_same = earlier != before.rails.end() && look.link_index != 0 &&
                         earlier->link_index == look.link_index && earlier->device == look.device;
    if (is_same && passed.count() > 0) add_rates(*earlier, look, passed, traffic);
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
