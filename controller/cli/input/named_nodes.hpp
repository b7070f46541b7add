#pragma once
// named_nodes: the nodes that `--nodes` names, and the cluster as a job of them sees it.

#include <set>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "config/cluster.hpp"

namespace spark::cli {

/// "spark1,spark2".
std::set<std::string> named_nodes(std::string_view names);

/// As config::for_job(), for the job's rank on `own`. No nodes: the whole cluster.
/// Errors: its own; kInvalid: the job has no rank on `own`.
Result<config::Cluster> cluster_for(const std::set<std::string>& nodes,
                                    const config::Cluster& cluster, const std::string& own);

}  // namespace spark::cli
