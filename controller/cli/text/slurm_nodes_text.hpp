#pragma once
// slurm_nodes_text: the nodes of a file, as lines of slurm.conf. Pure.

#include <string>

#include "base/result.hpp"
#include "config/cluster.hpp"

namespace spark::cli {

/// A line `NodeName=` for each node, by number: its host name where the file has another one, the
/// address that the file gives the management link, and the feature `rails_FIRST` of all nodes that
/// reach each other over cables and switches. What a node has of processors and memory is in no
/// cluster file. kUnsupported: slurm.conf cannot have such a node.
Result<std::string> slurm_nodes_text(const config::Cluster& cluster);

}  // namespace spark::cli
