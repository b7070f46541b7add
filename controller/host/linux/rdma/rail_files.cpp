#include "host/linux/rdma/rail_files.hpp"

#include <fmt/format.h>

#include "base/units.hpp"
#include "host/process/file_io.hpp"

namespace spark::host {
namespace {

std::optional<std::uint64_t> count_in(const std::string& path) {
  return parse_decimal(attribute(path));
}

std::optional<BothWays> both_ways(const std::string& received, const std::string& sent) {
  const auto in = count_in(received);
  const auto out = count_in(sent);
  return in && out ? std::optional(BothWays{.received = *in, .sent = *out}) : std::nullopt;
}

}  // namespace

RailCounters read_rail_counters(const std::string& root, const std::string& device,
                                std::uint32_t port, const std::string& link) {
  RailCounters counters;
  if (!link.empty()) {
    const auto folder = fmt::format("{}/sys/class/net/{}", root, link);
    counters.link_octets =
        both_ways(folder + "/statistics/rx_bytes", folder + "/statistics/tx_bytes");
    // -1 where the speed is not known, which is no number of this form.
    constexpr std::uint64_t kBitsOfMegabit = 1'000'000;
    if (const auto megabits = count_in(folder + "/speed"); megabits && *megabits > 0) {
      counters.speed = *megabits * kBitsOfMegabit;
    }
  }
  if (device.empty()) return counters;
  const auto folder = fmt::format("{}/sys/class/infiniband/{}/ports/{}", root, device, port);
  counters.rdma_words =
      both_ways(folder + "/counters/port_rcv_data", folder + "/counters/port_xmit_data");
  for (const auto& event : kRailEvents) {
    if (const auto count = count_in(fmt::format("{}/hw_counters/{}", folder, event.name))) {
      counters.events.emplace(event.name, *count);
    }
  }
  counters.lifespan =
      std::chrono::milliseconds(count_in(folder + "/hw_counters/lifespan").value_or(0));
  return counters;
}

}  // namespace spark::host
