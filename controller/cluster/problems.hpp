#pragma once
// Problems: all that is wrong with the nodes of a cluster, and which of it explains the rest.

#include <vector>

#include "cluster/cluster_view.hpp"
#include "cluster/problem.hpp"

namespace spark::cluster {

/// Each with its cause, the causes first, in the order of their sorts. `nodes` and `pairs` are
/// those of the view.
std::vector<Problem> problems_of(const Known& known, const std::vector<NodeView>& nodes,
                                 const std::vector<PairView>& pairs);

}  // namespace spark::cluster
