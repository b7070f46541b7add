#pragma once
// Wiring: who is connected to whom, by the file and by what nodes told of their rails.

#include <vector>

#include "cluster/cluster_view.hpp"
#include "diagnosis/wiring.hpp"

namespace spark::cluster {

/// `nodes`: those of the view.
diagnosis::Wiring wiring_of(const Known& known, const std::vector<NodeView>& nodes);

}  // namespace spark::cluster
