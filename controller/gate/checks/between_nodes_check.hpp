#pragma once
// check_between_nodes: does RDMA reach the peers, and do they have the same file and MTU? It asks
// nobody: spark-peers hears and asks the peers all the time, and reports what it knows.

#include "gate/common/check.hpp"

namespace spark::gate {

/// Adds kPeerRdmaFact and kPeerMtuFact to each rail over which spark-peers knows something of a
/// peer, and kSameFileFact to the node; MTU and file of peers that are heard alone. Adds none where
/// `ready.peers` is off, or where spark-peers has reported nothing since this boot. What it cannot
/// know, and another file, never count: a peer that starts again closes no gate that an echo leaves
/// open.
void check_between_nodes(const GateSnapshot& snapshot, GateReport& report);

}  // namespace spark::gate
