#pragma once
// Problems: all that is wrong with the nodes of a cluster, and which of it explains the rest.

#include <string_view>
#include <vector>

#include "cluster/cluster_view.hpp"
#include "cluster/problem.hpp"

namespace spark::cluster {

/// Each with its cause, the causes first, in the order of their sorts. `nodes` and `pairs` are
/// those of the view.
std::vector<Problem> problems_of(const Known& known, const ClusterView& view);

/// Another version, or a disk that the node `own` has too: `doctor` has rows of its own for them.
bool is_of_versions(const Problem& cause, std::string_view own);

}  // namespace spark::cluster
