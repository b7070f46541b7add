#pragma once
// wanted_node: what the cluster file of this machine asks of it.

#include <optional>

#include "cli/command.hpp"
#include "config/node.hpp"
#include "host/view.hpp"

namespace spark::cli {

/// Empty: there is no valid file, or this machine is no node of it, which other checks say.
std::optional<config::Node> wanted_node(const Command& command, host::View& view);

}  // namespace spark::cli
