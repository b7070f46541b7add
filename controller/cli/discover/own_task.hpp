#pragma once
// own_task: what this machine tells others of itself, before any file names it.

#include <string>

#include "base/result.hpp"
#include "host/view.hpp"
#include "protocol/discover.hpp"

namespace spark::cli {

/// As others know this node's key: the name that the cluster file which is here has for this
/// machine, or else its host name. Errors: kInvalid when the host name can be no node's; that file
/// cannot be read.
Result<std::string> own_node_name(host::View& view);

/// A node that joins and has a cluster file already is called as that file calls it. Errors:
/// kPermission when this is not root; kNotFound when there is no cage; kInvalid when the host name
/// can be no node's, or more subnets are in use than fit into a frame; that file cannot be read.
/// All say what to do.
Result<protocol::DiscoverTask> own_task(host::View& view, bool is_founder);

}  // namespace spark::cli
