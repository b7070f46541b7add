#pragma once
// check_peers: do the nodes at the other ends answer, with packets of the full MTU?

#include "gate/common/check.hpp"

namespace spark::gate {

/// Adds one fact to each rail that the file gives peers, unless `ready.peers` is off or this end of
/// the rail is not ready. Asks all peers at once; blocks until they have answered, a second at
/// most.
void check_peers(const GateSnapshot& snapshot, GateReport& report);

}  // namespace spark::gate
