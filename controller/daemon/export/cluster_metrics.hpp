#pragma once
// tell_cluster: the metrics of the cluster as this node knows it.

#include <cstddef>

#include "daemon/common/node_state_names.hpp"
#include "daemon/export/prometheus_text.hpp"

namespace spark::daemon {

/// At most kMostClusterSeries, whatever the cluster is like.
void tell_cluster(Exposition& out, const ClusterState& cluster);

constexpr std::size_t kMostClusterSeries = 100;

}  // namespace spark::daemon
