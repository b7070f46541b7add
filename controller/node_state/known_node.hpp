#pragma once
// known_node: what the daemon knows of this node, as a view of the cluster takes it.

#include "base/moment.hpp"
#include "cluster/cluster_view.hpp"
#include "cluster/rollout.hpp"
#include "node_state/node_state.hpp"

namespace spark::node_state {

/// But for the name of the file, and for what differs from it now.
cluster::OwnNode own_node(const NodeState& state, const Moment& now);

/// But for the order of its groups.
cluster::KnownRollout known_rollout(const NodeState& state, const Moment& now);

}  // namespace spark::node_state
