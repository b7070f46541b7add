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

// For `doctor`, whose other rows say some of the causes in words of their own.

/// Another version, or a disk that the node `own` has too.
bool is_of_versions(const Cause& cause, std::string_view own);
/// Another file.
bool is_of_file(const Cause& cause);
/// A cable that leads elsewhere than the file says.
bool is_of_a_cable(const Cause& cause);
/// Neither echo nor RDMA between two nodes, and neither says why.
bool is_of_a_way(const Cause& cause);

}  // namespace spark::cluster
