#pragma once
// What a file makes of each node, and what it changes there, as text for people.

#include <string>
#include <vector>

#include "cli/plan/node_changes.hpp"
#include "cli/terminal.hpp"

namespace spark::cli {

/// A block for each node, with a line for each step. `file` is the file's name.
std::string node_changes_text(const std::vector<NodeChanges>& nodes, const std::string& file,
                              const Terminal& terminal);
/// The same for a screen: by cage and rail, in lines of its width.
std::string node_changes_screen(const std::vector<NodeChanges>& nodes, const std::string& file,
                                const Terminal& terminal);

/// "1 node changes, 1 is new, 1 is the same".
std::string count_of_nodes(const std::vector<NodeChanges>& nodes);

}  // namespace spark::cli
