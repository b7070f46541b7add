#pragma once
// key_finding: whether the key of the nodes is there, and spark-peers can read it.

#include <optional>

#include "cli/doctor/finding.hpp"
#include "config/node.hpp"

namespace spark::cli {

/// Empty: the file names no key, or this node needs none.
std::optional<Finding> key_finding(const Command& command, const config::Node& node);

}  // namespace spark::cli
