#pragma once
// Problems: all that is wrong with the nodes of a cluster, as one of them knows it.

#include <string_view>
#include <vector>

#include "cluster/cluster_view.hpp"
#include "diagnosis/problem.hpp"

namespace spark::cluster {

/// The cable in that link's cage leads elsewhere, or is in another cage.
bool has_wrong_cable(const OwnNode& own, std::string_view link);

/// Of each rail one. `view` has its nodes, its pairs and what rolls through it.
std::vector<diagnosis::Problem> problems_of(const Known& known, const ClusterView& view);

}  // namespace spark::cluster
