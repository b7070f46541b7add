#pragma once
// node_by_file: this machine and its cluster, as far as the file says it, for verbs that look at
// this machine.

#include <expected>
#include <optional>
#include <string>

#include "cli/command.hpp"
#include "config/cluster.hpp"
#include "config/node.hpp"

namespace spark::cli {

struct NodeByFile {
  std::optional<config::Node> node;  ///< empty: there is no file
  config::Cluster cluster;
  std::string other;  ///< the node that -n names, where this machine is another one; else empty
};

/// The file is the one of -f, or this machine's own. Without -f there may be none. Reports errors:
/// those of the file, and where this machine is none of its nodes; the error is the exit code.
std::expected<NodeByFile, ExitCode> node_by_file(const Command& command);

}  // namespace spark::cli
