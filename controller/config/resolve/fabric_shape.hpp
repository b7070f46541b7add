#pragma once
// shape_of_fabric: whether the nodes share a cable or switch, or lie on a ring.

#include <map>
#include <string>
#include <vector>

#include "config/cluster.hpp"
#include "config/node.hpp"

namespace spark::config {

/// The shape that `node` forms with the nodes that it reaches over cables and switches. The rails
/// of `node` must be in `node.links`.
FabricShape shape_of_fabric(const Cluster& cluster, const Node& node);

/// `node` and the nodes that it reaches so, along the cables: on a ring each is a neighbour of the
/// next. From the first end in the file on, so the same for each of them.
std::vector<std::string> nodes_along_cables(const Fabric& fabric, const std::string& node);

/// Each node on a cable or switch that joins nodes, with the first by name of those that it reaches
/// so and itself.
std::map<std::string, std::string> first_reached(const Fabric& fabric);

}  // namespace spark::config
