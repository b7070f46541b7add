#pragma once
// Checks of what the kernel's RDMA tables show of a rail: port and GID.

#include "gate/common/check.hpp"
#include "kinds/network/roce.hpp"

namespace spark::gate {

inline constexpr FactKind kPortFact{.id = "SR-GATE-004", .name = "port", .goes_with_carrier = true};
/// Notes the port and its device.
void check_port(RailLook& look);

inline constexpr FactKind kGidFact{
    .id = "SR-GATE-005", .name = "gid", .compares = kinds::Roce::kName};
/// Notes the index of the GID.
void check_gid(RailLook& look);

}  // namespace spark::gate
