#pragma once
// own_task: what this machine tells others of itself, before any file names it.

#include "base/result.hpp"
#include "host/view.hpp"
#include "protocol/discover.hpp"

namespace spark::cli {

/// A node that joins and has a cluster file already is called as that file calls it. Errors:
/// kPermission when this is not root; kNotFound when there is no cage; kInvalid when the host name
/// can be no node's, or more subnets are in use than fit into a frame; that file cannot be read.
/// All say what to do.
Result<protocol::DiscoverTask> own_task(host::View& view, bool is_founder);

}  // namespace spark::cli
