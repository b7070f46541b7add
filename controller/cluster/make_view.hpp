#pragma once
// cluster_view: makes the view of what one node knows. It reads nothing, no clock either.

#include "cluster/cluster_view.hpp"

namespace spark::cluster {

ClusterView cluster_view(const Known& known);

}  // namespace spark::cluster
