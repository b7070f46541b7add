#pragma once
// The screen of a cluster: a line for each node, what is wrong, the ways between the nodes, and
// what to type next.

#include <string>
#include <vector>

#include "cli/terminal.hpp"
#include "cluster/cluster_view.hpp"

namespace spark::cli {

/// "lab · ring of 3 · git 3f9a1c0 (signed: alice@lab, 4 min ago)   2 of 3 ready".
std::string cluster_heading(const cluster::ClusterView& view, const Terminal& terminal);

/// A line for each node, with a line of titles.
std::string cluster_nodes_text(const cluster::ClusterView& view, const Terminal& terminal);

/// The ways between the nodes, each end against each; empty where no cable or switch joins any.
std::string cluster_ways_text(const cluster::ClusterView& view, const Terminal& terminal);

/// The roots that no line of a node has room for.
std::string further_roots_text(const cluster::ClusterView& view, const Terminal& terminal);

/// The changed file that rolls through the cluster; empty: none does.
std::string cluster_rollout_text(const cluster::ClusterView& view, const Terminal& terminal);

/// One line without its line feed: how many nodes are ready, the first root with its remedy, and
/// what rolls through the cluster.
std::string cluster_brief(const cluster::ClusterView& view, const Terminal& terminal);

/// What to do about each, the most basic first; the same for several is said once.
std::string remedies_text(const std::vector<diagnosis::Root>& roots, const Terminal& terminal);

/// What to do next: that, or the details of this node.
std::string cluster_closing(const cluster::ClusterView& view, const Terminal& terminal);

}  // namespace spark::cli
