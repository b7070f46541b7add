#pragma once
// rollout_of: which file rolls through a cluster, as far as one node knows. It reads nothing.

#include <optional>
#include <vector>

#include "cluster/cluster_view.hpp"

namespace spark::cluster {

/// Empty: none does. One does where a newer file waits on a node that is heard, or where the file
/// asks for an order and two nodes that are heard have two files. `nodes`: those of the view.
std::optional<RolloutView> rollout_of(const Known& known, const std::vector<NodeView>& nodes);

}  // namespace spark::cluster
