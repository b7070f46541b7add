#pragma once
// resolve: makes the Node of this machine from the Cluster of the file and the machine's devices.

#include <string>
#include <vector>

#include "base/result.hpp"
#include "config/cages.hpp"
#include "config/cluster.hpp"
#include "config/node.hpp"

namespace spark::config {

/// The node of the file that this machine is: by machine id or host name where `match:` gives one,
/// else by the node's name. Empty string: none matches.
std::string match_node(const Cluster& cluster, const std::string& hostname,
                       const std::string& machine_id);

/// Everything the file asks of node `name`. Pure. A rail without a device keeps its DGX name, so
/// that messages can name what waits for it.
/// Errors: kNotFound when the file has no such node, with the names it has.
Result<Node> resolve(const Cluster& cluster, const std::string& name,
                     const std::vector<Netdev>& devices);

/// Addresses of one cage end, rail by rail: those the file says outright, or the node's number in
/// each subnet of the segment.
std::vector<At<IpPrefix>> addresses_of(const Cluster& cluster, const Segment& segment,
                                       const CageEnd& end);

}  // namespace spark::config
