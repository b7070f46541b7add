#pragma once
// observe_cluster: what this node knows of its peers, beside the verdict of the gate.

#include "base/moment.hpp"
#include "config/cluster.hpp"
#include "config/node.hpp"
#include "daemon/common/cluster_state.hpp"
#include "gate/common/facts.hpp"
#include "host/host.hpp"

namespace spark::daemon {

/// Asks nobody: it reads what the gate, spark-peers and `bench` found out. `at`: when the look of
/// the gate ended.
ClusterState observe_cluster(host::Host& host, const config::Cluster& cluster,
                             const config::Node& node, const gate::GateReport& report,
                             const Moment& at);

/// Behind a large switch the peers are asked by turns: one that was not asked in this look keeps
/// the answer of the last one.
void keep_echoes(const ClusterState& before, ClusterState& now);

}  // namespace spark::daemon
