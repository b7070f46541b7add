#pragma once
// other_nodes_html: what each other node told of itself, node by node.

#include <chrono>
#include <string>
#include <vector>

#include "cluster/cluster_view.hpp"
#include "protocol/peers.hpp"

namespace spark::helpers {

/// All nodes, as the page shows them.
struct ShownCluster {
  cluster::ClusterView view;
  std::vector<protocol::ToldDetails> told;  ///< by other nodes of themselves
  std::chrono::milliseconds now{};          ///< CLOCK_BOOTTIME
};

/// Each folded. A node that told nothing has none.
std::string other_nodes_html(const ShownCluster& cluster);

}  // namespace spark::helpers
