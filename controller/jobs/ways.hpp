#pragma once
// ways_of: over which rails this node reaches which others, and what these rails are there.

#include <vector>

#include "config/cluster.hpp"
#include "config/node.hpp"
#include "jobs/recorded.hpp"

namespace spark::jobs {

/// One for each rail of this node and each peer behind it, in the order of the file. The peer's
/// link has the name that it should have by the file.
std::vector<Way> ways_of(const config::Cluster& cluster, const config::Node& node);

}  // namespace spark::jobs
