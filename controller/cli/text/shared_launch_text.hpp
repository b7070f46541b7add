#pragma once
// For launchers that give one environment to all nodes of a job: launch-cluster.sh of
// spark-vllm-docker, and sparkrun. Pure. `nodes`: as config::nodes_along_cables() gives them.

#include <optional>
#include <string>
#include <vector>

#include "config/cluster.hpp"
#include "config/node.hpp"
#include "kinds/environment/job_versions.hpp"
#include "kinds/environment/nccl_environment.hpp"

namespace spark::cli {

/// What differs between `node` and another of the nodes, so that no one environment is right for
/// both; empty: nothing.
std::optional<std::string> difference_between_nodes(const config::Cluster& cluster,
                                                    const config::Node& node,
                                                    const std::vector<std::string>& nodes);

/// kinds::nccl_variables, as they are right on each of the nodes: without an index of a GID, and
/// with a range that holds the rails of all.
std::vector<kinds::Variable> variables_for_all(const config::Node& node,
                                               const kinds::JobVersions& versions);

/// The file `.env` of spark-vllm-docker, for the node where launch-cluster.sh is started.
std::string vllm_env_text(const config::Node& node, const std::vector<std::string>& nodes,
                          const std::vector<kinds::Variable>& variables);

/// The command that names the nodes to sparkrun, and `env` for a recipe.
std::string sparkrun_text(const config::Node& node, const std::vector<std::string>& nodes,
                          const std::vector<kinds::Variable>& variables);

}  // namespace spark::cli
