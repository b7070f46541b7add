#pragma once
// page_cluster: the whole cluster on the page, as this node knows it.

#include <optional>
#include <string>

#include "base/moment.hpp"
#include "cluster/cluster_view.hpp"
#include "cluster/told.hpp"
#include "helpers/web/page_nodes.hpp"
#include "node_state/node_state.hpp"

namespace spark::helpers {

/// Of what the daemon and spark-peers wrote in this boot. Empty: the file has no other node, nobody
/// is asked or expected, or what was told is of another node.
std::optional<ShownCluster> view_of(const node_state::NodeState& state, cluster::Told told,
                                    const Moment& now);

/// "lab: 2 of 3 ready (spark1)", for the tab.
std::string cluster_title(const cluster::ClusterView& view);

/// The first heading, "lab · ring of 3 · 2 of 3 ready", with the file below it.
std::string cluster_top_html(const cluster::ClusterView& view);
/// The picture, the causes, the file that rolls through it, the nodes, their last day, the ways
/// between them, and what each node told of itself. `own`: this node.
std::string cluster_html(const ShownCluster& cluster, const node_state::NodeState& own,
                         const Moment& now);

}  // namespace spark::helpers
