#pragma once
// observe_rail: the facts of one address of one rail, including the loopback over it.

#include <cstdint>
#include <string_view>

#include "config/node.hpp"
#include "gate/facts.hpp"
#include "host/host.hpp"
#include "host/view.hpp"

namespace spark::gate {

/// What a look at the node works on.
struct GateSnapshot {
  host::Host& host;
  host::View& view;
  const config::Node& node;
  const GateOptions& options;
};

inline constexpr std::string_view kGidFact = "SR-GATE-005";
inline constexpr std::string_view kBandwidthFact = "SR-GATE-009";

/// Blocks for as long as the loopback takes.
RailFacts observe_rail(const GateSnapshot& snapshot, const config::WantedLink& wanted,
                       const IpPrefix& address);

/// The RDMA path MTU, in bytes, that a network device's MTU yields: without a packet's headers,
/// rounded down to 4096, 2048, 1024, 512 or 256; 0 below 256 (iboe_get_mtu in the kernel's
/// rdma/ib_addr.h).
std::uint32_t path_mtu_of(std::uint32_t mtu_bytes);

}  // namespace spark::gate
