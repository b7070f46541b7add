#pragma once
// daemon_text: what the daemon says of this node, as verbs show it.

#include <string>
#include <vector>

#include "cli/state_here/node_here.hpp"

namespace spark::cli {

/// The drift, and the remedy on lines of its own:
/// "mtu eth0: contested until …: corrected 3 times …".
std::string drift_text(const node_state::Drift& drift);

/// The same of each resource that is contested, or whose correction failed.
std::vector<std::string> left_alone_by_daemon(const node_state::NodeState& state);

/// What it says beside the verdict: lines for `status`, each with its line feed. `has_commit`: the
/// screen has it elsewhere.
std::string daemon_notes(const node_state::NodeState& state, bool has_commit);

/// The verdict, and these notes.
std::string daemon_text(const NodeHere& here);

}  // namespace spark::cli
