#pragma once
// What `status` shows of the other nodes.

#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal.hpp"
#include "cli/text/other_nodes.hpp"

namespace spark::cli {

/// "ready, heard 2 s ago"; of a node that is not heard, since when.
std::string heard_text(const OtherNode& node);

/// "spark2 is not ready, heard 2 s ago: …", with its first reason.
std::string standing_text(const OtherNode& node);

/// One line of all nodes of a cluster: how many are ready, and what is said of the first of those
/// that stand worst.
std::string brief_text(std::string_view cluster, const std::vector<OtherNode>& nodes,
                       const Terminal& terminal);

/// A line a node, with a heading; empty where there is none.
std::string other_nodes_text(const std::vector<OtherNode>& nodes, const Terminal& terminal);

}  // namespace spark::cli
