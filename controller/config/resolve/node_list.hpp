#pragma once
// The nodes of a file, for programs that want all of them: their order, and how each is reached.

#include <optional>
#include <string>
#include <vector>

#include "base/ip.hpp"
#include "config/cluster.hpp"

namespace spark::config {

/// The address that the file gives the management link, the first of it. Empty: none, so the node
/// is reached by its name. Never one of a rail, which has other things to do.
std::optional<IpAddress> management_address(const NodeSpec& node);

/// The names by number, and those without one after them, by name.
std::vector<std::string> names_by_number(const Cluster& cluster);

}  // namespace spark::config
