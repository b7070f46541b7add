#pragma once
// add_cluster: what is wrong in the cluster, with each cause at its node, as `status` names it.

#include <optional>
#include <string>

#include "cli/doctor/examination.hpp"
#include "cluster/cluster_view.hpp"

namespace spark::cli {

/// What the daemon and the peers told of the cluster; nobody is asked.
struct ClusterHere {
  cluster::ClusterView view;
  diagnosis::Wiring wiring;
};

/// Of the file in force. Empty: it is not valid, or nothing was told in this boot.
std::optional<ClusterHere> known_cluster(const Command& command);

/// All that is wrong goes into the diagnosis of the examination.
void add_problems(const ClusterHere& here, Examination& examination);

/// Each cause that no other row has, as "NODE: what [id]"; one that prevents this node from being
/// ready is why its gate is closed.
void add_nodes(const cluster::ClusterView& view, Examination& examination);

/// Another version, or a copied disk: check_versions has rows of its own for them.
bool is_of_versions(const diagnosis::Problem& problem);

/// A cause as a row of the cluster. `head` stands before what is so.
Finding nodes_finding(const diagnosis::Root& root, Severity severity, const std::string& head);

}  // namespace spark::cli
