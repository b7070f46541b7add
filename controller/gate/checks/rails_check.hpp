#pragma once
// check_rails: a node without a rail to look at is not proven.

#include "gate/common/check.hpp"

namespace spark::gate {

inline constexpr FactKind kRailsFact{"SR-GATE-012", "rails"};

/// A fact only where the file gives this node no rail with an address.
void check_rails(const GateSnapshot& snapshot, GateReport& report);

}  // namespace spark::gate
