#pragma once
// check_loopback: moves bytes within the port of a rail, by verbs.

#include <cstdint>

#include "gate/common/check.hpp"
#include "kinds/network/mtu.hpp"

namespace spark::gate {

inline constexpr FactKind kPathMtuFact{
    .id = "SR-GATE-006", .name = "path mtu", .compares = kinds::Mtu::kName};
inline constexpr FactKind kLoopbackFact{"SR-GATE-007", "loopback"};
inline constexpr FactKind kMemlockFact{"SR-GATE-008", "memlock"};
inline constexpr FactKind kBandwidthFact{"SR-GATE-009", "bandwidth", true};

/// Blocks for as long as the loopback takes.
void check_loopback(RailLook& look);

/// The RDMA path MTU, in bytes, that a network device's MTU yields: without a packet's headers,
/// rounded down to 4096, 2048, 1024, 512 or 256; 0 below 256 (iboe_get_mtu in the kernel's
/// rdma/ib_addr.h).
std::uint32_t path_mtu_of(std::uint32_t mtu_bytes);

}  // namespace spark::gate
