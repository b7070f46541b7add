#pragma once
// find_past_node: which node `release` restores where no current file says so.

#include "base/result.hpp"
#include "cli/command.hpp"
#include "cli/input/cluster_file.hpp"
#include "host/view.hpp"
#include "state/select.hpp"

namespace spark::cli {

/// The node to release, and the file that was applied to it last.
struct PastNode {
  ClusterFile file;
  state::Selection selection;
};

/// Needs no current file: the ledger has the values to restore, and the node's last file names its
/// management link. Takes the node that -n names, else the node that this machine was last.
/// Errors: kNotFound when it was none; kInvalid when another machine wrote the node's state.
Result<PastNode> find_past_node(const Command& command, host::View& view);

}  // namespace spark::cli
