#pragma once
// topology_lines: a cluster as text for files, pipes and `diff`.

#include <string>

#include "cli/terminal.hpp"
#include "drawing/fabric_map.hpp"

namespace spark::cli {

/// One line for each node, each rail of a cable or of a port, and each cage without a cable. The
/// order goes by names, not by the file. What is compared has a sign in front of each line.
std::string topology_lines(const drawing::FabricMap& map, const Terminal& terminal);

}  // namespace spark::cli
