#pragma once
// look_at_rail: the facts of one address of one rail, the loopback over it included.

#include <cstdint>
#include <string_view>

#include "gate/gate.hpp"

namespace spark {

/// Where a look is made.
struct GateSnapshot {
  Host& host;
  View& view;
  const Node& node;
  const GateOptions& options;
};

inline constexpr std::string_view kGidFact = "SR-GATE-005";
inline constexpr std::string_view kBandwidthFact = "SR-GATE-009";

/// Blocks for as long as the loopback takes.
RailFacts observe_rail(const GateSnapshot& snapshot, const WantedLink& wanted,
                       const IpPrefix& address);

/// The RDMA path MTU that a network device's MTU yields, bytes: what is left for a packet's headers
/// taken off, and the next of 4096, 2048, 1024, 512 and 256 below it; 0 below that (iboe_get_mtu in
/// the kernel's rdma/ib_addr.h).
std::uint32_t path_mtu_of(std::uint32_t mtu_bytes);

}  // namespace spark
