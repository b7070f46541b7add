#pragma once
// observe_peers: do the nodes at the other ends answer, with packets of the full MTU?

#include <vector>

#include "config/node.hpp"
#include "gate/facts.hpp"
#include "gate/rail_facts.hpp"
#include "host/host.hpp"
#include "host/view.hpp"

namespace spark::gate {

/// Adds one fact to each rail that the file gives peers, unless `ready.peers` is off or this end of
/// the rail is not ready. Asks all peers at once; blocks until they have answered, a second at
/// most.
void observe_peers(const GateSnapshot& snapshot, std::vector<RailFacts>& rails);

}  // namespace spark::gate
