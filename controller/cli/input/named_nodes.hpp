#pragma once
// named_nodes: the nodes that `--nodes` names, and the cluster as a job of them sees it.

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "cli/input/arguments.hpp"
#include "cli/input/cluster_file.hpp"
#include "config/cluster.hpp"

namespace spark::cli {

/// "spark1,spark2".
std::set<std::string> named_nodes(std::string_view names);

/// Why the file cannot show or set up the node that -n names: it has none of that name. Empty: it
/// has, or none is named.
std::optional<Error> no_such_node(const ClusterFile& file, const Arguments& arguments);
/// The same of any name. Empty: it has.
std::optional<Error> no_such_node(const ClusterFile& file, const std::string& name);

/// As config::for_job(), for the job's rank on `own`. No nodes: the whole cluster.
/// Errors: its own; kInvalid: the job has no rank on `own`.
Result<config::Cluster> cluster_for(const std::set<std::string>& nodes,
                                    const config::Cluster& cluster, const std::string& own);

}  // namespace spark::cli
