#pragma once
// plan_comment: what `plan` makes of a new file on this machine, as lines of a comment.

#include <string>
#include <vector>

#include "config/cluster.hpp"
#include "host/view.hpp"

namespace spark::cli {

/// Lines that begin with a blank are items of a list.
std::vector<std::string> plan_comment(const config::Cluster& cluster, const std::string& node,
                                      host::View& view);

}  // namespace spark::cli
