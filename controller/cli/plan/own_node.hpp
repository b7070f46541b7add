#pragma once
// find_own_node: the node that this machine is, for verbs that do without the file.

#include <expected>
#include <string>

#include "cli/command.hpp"

namespace spark::cli {

/// The node that this machine is by the file (-f, or this machine's own), else the node that it was
/// last; where neither is known, the node of -n. Empty: none. Reports errors, such as a -n that
/// names another node; the error is the exit code.
std::expected<std::string, ExitCode> find_own_node(const Command& command);

}  // namespace spark::cli
