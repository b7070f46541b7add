#pragma once
// NodeHere: how this node is, as its daemon knows it.

#include <optional>
#include <string>

#include "apply/recovery.hpp"
#include "base/moment.hpp"
#include "base/result.hpp"
#include "cli/command.hpp"
#include "host/host.hpp"
#include "node_state/node_state.hpp"

namespace spark::cli {

struct NodeHere {
  node_state::NodeState state;
  Moment at;  ///< when the daemon wrote it
  /// Why it counts no more: `state` has no verdict then. Empty: it counts.
  std::string hangs;
};

/// What the daemon wrote last. Empty: it has made no pass since the machine booted. Errors: those
/// of the files port; kUnsupported: it is of another version, or damaged.
Result<std::optional<NodeHere>> node_here(host::Host& host);

/// An apply that was interrupted, as it is now. Takes no lock. Errors: as apply::find_unfinished.
Result<std::optional<apply::UnfinishedApply>> find_unfinished(const Command& command);
/// The same, or what the daemon found, for who may not look.
std::optional<apply::UnfinishedApply> unfinished_here(const Command& command);
/// Two lines of it and of what to do; empty: there is none.
std::string unfinished_text(const std::optional<apply::UnfinishedApply>& unfinished);

}  // namespace spark::cli
