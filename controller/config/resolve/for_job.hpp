#pragma once
// for_job: the cluster as a job of some of its nodes sees it.

#include <set>
#include <string>

#include "base/result.hpp"
#include "config/cluster.hpp"
#include "config/node.hpp"

namespace spark::config {

/// Those nodes, with the cables and the ports of switches between them. Pure.
/// Errors: kNotFound: the file has no such node, with the names it has; kInvalid: nothing joins
/// them all.
Result<Cluster> for_job(const Cluster& cluster, const std::set<std::string>& nodes);

/// Takes from the node what is of no use to that job: rails that lead to none of its nodes count no
/// more as rails, and neither do other peers. `of_job`: the same node, resolved from for_job().
void keep_for_job(Node& node, const Node& of_job);

}  // namespace spark::config
