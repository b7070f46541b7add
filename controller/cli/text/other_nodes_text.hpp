#pragma once
// What `status` shows of the other nodes.

#include <string>
#include <vector>

#include "cli/other_nodes.hpp"
#include "cli/terminal.hpp"

namespace spark::cli {

/// "ready, heard 2 s ago"; of a node that is not heard, since when.
std::string heard_text(const OtherNode& node);

/// A line a node, with a heading; empty where there is none.
std::string other_nodes_text(const std::vector<OtherNode>& nodes, const Terminal& terminal);

}  // namespace spark::cli
