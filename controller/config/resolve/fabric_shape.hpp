#pragma once
// shape_of_fabric: whether the nodes share a cable or switch, or lie on a ring.

#include "config/cluster.hpp"
#include "config/node.hpp"

namespace spark::config {

/// The shape that `node` forms with the nodes that it reaches over cables and switches. The rails
/// of `node` must be in `node.links`.
FabricShape shape_of_fabric(const Cluster& cluster, const Node& node);

}  // namespace spark::config
