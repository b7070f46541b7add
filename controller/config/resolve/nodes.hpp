#pragma once
// The nodes of a file as a whole.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/ip.hpp"
#include "base/result.hpp"
#include "config/cluster.hpp"
#include "config/node.hpp"

namespace spark::config {

// The nodes of a file, for programs that want all of them: their order, and how each is reached.

/// The address that the file gives the management link, the first of it. Empty: none, so the node
/// is reached by its name. Never one of a rail, which has other things to do.
std::optional<IpAddress> management_address(const NodeSpec& node);

/// The names by number, and those without one after them, by name.
std::vector<std::string> names_by_number(const Cluster& cluster);

// Whether the nodes share a cable or switch, or lie on a ring.

/// The shape that `node` forms with the nodes that it reaches over cables and switches. The rails
/// of `node` must be in `node.links`.
FabricShape shape_of_fabric(const Cluster& cluster, const Node& node);

/// `node` and the nodes that it reaches so, along the cables: on a ring each is a neighbour of the
/// next. From the first end in the file on, so the same for each of them.
std::vector<std::string> nodes_along_cables(const Fabric& fabric, const std::string& node);

/// Each node on a cable or switch that joins nodes, with the first by name of those that it reaches
/// so and itself.
std::map<std::string, std::string> first_reached(const Fabric& fabric);

// The cluster as a job of some of its nodes sees it.

/// Those nodes, with the cables and the ports of switches between them. Pure.
/// Errors: kNotFound: the file has no such node, with the names it has; kInvalid: nothing joins
/// them all.
Result<Cluster> for_job(const Cluster& cluster, const std::set<std::string>& nodes);

/// Takes from the node what is of no use to that job: rails that lead to none of its nodes count no
/// more as rails, and neither do other peers. `of_job`: the same node, resolved from for_job().
void keep_for_job(Node& node, const Node& of_job);

}  // namespace spark::config
