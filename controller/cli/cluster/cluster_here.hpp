#pragma once
// cluster_here: what this node knows of the whole cluster, as its daemon and the peers told it.

#include <optional>
#include <string>

#include "cli/command.hpp"
#include "cluster/cluster_view.hpp"
#include "plan/plan.hpp"

namespace spark::cli {

/// What of this node is not as the file says just now: the daemon may not have looked since. Empty:
/// nothing.
std::string difference_of(const plan::Plan& plan);

/// "not enforced: …", "waiting: …", "unknown: …": what is skipped, and nothing has to change.
/// Empty: it is in sync, or differs.
std::string skipped_here(const plan::Plan& plan);

/// What the daemon and the peers told in this boot; `node` is this one. It asks nobody. Empty:
/// another node or machine is looked at, the file has no other node, `ready.peers` is off, the node
/// is released, or nothing was told.
std::optional<cluster::Known> cluster_here(const Command& command, const ClusterFile& file,
                                           const std::string& node);

/// The same also where nothing is known.
struct KnownHere {
  cluster::Known known;
  std::string why_nothing;  ///< why nothing is known of other nodes; empty: something may be
};
KnownHere all_known_here(const Command& command, const ClusterFile& file, const std::string& node);

}  // namespace spark::cli
