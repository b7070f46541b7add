#pragma once
// check_speed: the speed that the link came up at, beside the one that the file names.

#include "gate/common/check.hpp"

namespace spark::gate {

inline constexpr FactKind kSpeedFact{"SR-GATE-022", "speed"};

/// Only where the file has `speed`, and the driver tells one: a virtual link has none. It counts
/// with `ready.peers: require`, since the other end, a cable or a switch decides it as well.
void check_speed(RailLook& look);

}  // namespace spark::gate
