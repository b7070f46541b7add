#pragma once
// daemon_text: what the daemon says of this node, as verbs show it.

#include <string>

#include "cli/state_here/node_here.hpp"

namespace spark::cli {

/// "mtu eth0: contested until …: corrected 3 times …".
std::string drift_text(const node_state::Drift& drift);

/// What it says beside the verdict: lines for `status`, each with its line feed. `has_commit`: the
/// screen has it elsewhere.
std::string daemon_notes(const node_state::NodeState& state, bool has_commit);

/// The verdict, and these notes.
std::string daemon_text(const NodeHere& here);

}  // namespace spark::cli
