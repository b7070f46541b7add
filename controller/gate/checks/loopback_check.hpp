#pragma once
// check_loopback: moves bytes within the port of a rail, by verbs.

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

}  // namespace spark::gate
