#pragma once
// check_cabling: who is at the other end of each cable, and does another host have our address?

#include "gate/common/check.hpp"

namespace spark::gate {

/// "one address, one host".
inline constexpr FactKind kOneHostFact{
    .id = "SR-GATE-017", .name = "one host", .reach = Reach::kOtherEnd};

/// Adds kCablingFact to each rail that has peers, a carrier and its own address, and kOneHostFact
/// once the network was asked, unless `ready.peers` is off. A peer that answers an echo is asked
/// nothing more. Blocks for as long as the questions take, a few seconds at most; once a cable is
/// proven, it asks nobody until the carrier is lost.
void check_cabling(const GateSnapshot& snapshot, GateReport& report);

}  // namespace spark::gate
