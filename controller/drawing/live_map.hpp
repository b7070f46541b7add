#pragma once
// add_live: how a cluster stands, as one of its nodes knows it.

#include "cluster/cluster_view.hpp"
#include "drawing/fabric_map.hpp"

namespace spark::drawing {

/// Marks how each node stands and which rails are proven. Hosts that are no nodes tell nothing.
void add_live(FabricMap& map, const cluster::ClusterView& view);

}  // namespace spark::drawing
