#pragma once
// Checks of what the kernel's network tables show of a rail: link, MTU, address.

#include "gate/common/check.hpp"
#include "kinds/network/address.hpp"
#include "kinds/network/mtu.hpp"

namespace spark::gate {

inline constexpr FactKind kLinkFact{.id = "SR-GATE-001", .name = "link", .goes_with_carrier = true};
void check_link(RailLook& look);

inline constexpr FactKind kMtuFact{
    .id = "SR-GATE-002", .name = "mtu", .compares = kinds::Mtu::kName};
void check_mtu(RailLook& look);

inline constexpr FactKind kAddressFact{
    .id = "SR-GATE-003", .name = "address", .compares = kinds::Address::kName};
void check_address(RailLook& look);

}  // namespace spark::gate
