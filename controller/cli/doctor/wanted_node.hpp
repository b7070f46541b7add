#pragma once
// wanted_node: what the cluster file of this machine asks of it, and what it leaves to the host.

#include <optional>
#include <string>

#include "cli/command.hpp"
#include "config/node.hpp"
#include "host/view.hpp"

namespace spark::cli {

/// The file that this machine follows, whatever -f names; beside a daemon, the one in force.
/// Errors: those of read_cluster_file.
Result<ClusterFile> file_here(const Command& command);

/// Empty: there is no valid file, or this machine is no node of it, which other checks say.
std::optional<config::Node> wanted_node(const Command& command, host::View& view);

/// The file has the link for something else than the fabric: it is the management link, or its
/// `owner` is the host.
bool is_left_to_host(const config::Node& node, const std::string& link);

}  // namespace spark::cli
