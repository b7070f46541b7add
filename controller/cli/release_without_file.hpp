#pragma once
// find_past_node: what `release` gives back where no file of today says so.

#include "base/result.hpp"
#include "cli/command.hpp"
#include "cli/input/cluster_file.hpp"
#include "host/view.hpp"
#include "state/select.hpp"

namespace spark {

/// The node to give back, and the file that was applied to it last.
struct PastNode {
  ClusterFile file;
  Selection selection;
};

/// What is given back stands in the ledger, and the node's last file names its management link: no
/// file of today is needed. Takes the node that -n names, else the one that this machine has been.
/// Errors: kNotFound when it has been none; kInvalid when another machine wrote the node's state.
Result<PastNode> find_past_node(const Command& command, View& view);

}  // namespace spark
