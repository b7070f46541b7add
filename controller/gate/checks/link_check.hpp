#pragma once
// Checks of what the kernel's network tables show of a rail: link, MTU, address.

#include "gate/common/check.hpp"

namespace spark::gate {

inline constexpr FactKind kLinkFact{.id = "SR-GATE-001", .name = "link", .goes_with_carrier = true};
void check_link(RailLook& look);

inline constexpr FactKind kMtuFact{"SR-GATE-002", "mtu"};
void check_mtu(RailLook& look);

inline constexpr FactKind kAddressFact{"SR-GATE-003", "address"};
void check_address(RailLook& look);

}  // namespace spark::gate
