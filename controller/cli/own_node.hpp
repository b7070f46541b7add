#pragma once
// find_own_node: the node that this machine is, for verbs that do without the file.

#include <expected>
#include <string>

#include "cli/command.hpp"

namespace spark {

/// The node that the file (-f, or this machine's own) says this machine is, else the one it has
/// been; where neither is known, the one of -n. Empty: none. What goes wrong is reported, such as
/// -n with another node than that; the error is the exit code.
std::expected<std::string, ExitCode> find_own_node(const Command& command);

}  // namespace spark
