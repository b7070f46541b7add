#pragma once
// check_cluster: what is wrong in the cluster, with each cause at its node, as `status` names it.

#include <optional>
#include <string>
#include <vector>

#include "cli/doctor/finding.hpp"
#include "cluster/cluster_view.hpp"

namespace spark::cli {

/// What this node knows of one in its cluster.
struct NodeInCluster {
  std::vector<diagnosis::Root> roots;  ///< at that node
  bool is_away = false;                ///< by the file, and not heard
  bool has_rollout = false;            ///< a file rolls through the cluster: see is_under_way
};

/// Nothing where the file is not valid, or nothing was told in this boot.
NodeInCluster node_in_cluster(const Command& command, const std::string& node);

inline constexpr const char* kNodesFinding = "nodes";

/// By what the daemon and the peers told; nobody is asked. What other checks compare in words of
/// their own is left out: versions, and copies of this node's disk.
Findings check_cluster(const Command& command);

/// Each as "NODE: what [id]"; one that prevents this node from being ready is why its gate is
/// closed.
Findings findings_of_cluster(const cluster::ClusterView& view);

}  // namespace spark::cli
