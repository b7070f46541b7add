#pragma once
// NodeHere: how this node is, as its daemon knows it.

#include <optional>
#include <string>
#include <vector>

#include "apply/recovery.hpp"
#include "base/moment.hpp"
#include "base/result.hpp"
#include "gate/gate.hpp"
#include "host/hardware_signs.hpp"
#include "host/host.hpp"
#include "node_state/node_state.hpp"

namespace spark::cli {

struct NodeHere {
  node_state::NodeState state;
  Moment at;  ///< when the daemon wrote it
  /// Why it counts no more: `state` has no verdict then. Empty: it counts.
  std::string hangs;
  std::string why;  ///< of the verdict; where it is ready, what the gate found. Printable
};

/// What the daemon wrote last. Empty: it has made no pass since the machine booted. Errors: those
/// of the files port; kUnsupported: it is of another version, or damaged.
Result<std::optional<NodeHere>> node_here(host::Host& host);

/// An apply that was interrupted, as it is now. Takes no lock. Errors: as apply::find_unfinished.
Result<std::optional<apply::UnfinishedApply>> find_unfinished(host::Host& host,
                                                              const std::string& root);
/// The same, or what the daemon found, for who may not look.
std::optional<apply::UnfinishedApply> unfinished_here(host::Host& host, const std::string& root);
/// Two lines of it and of what to do; empty: there is none.
std::string unfinished_text(const std::optional<apply::UnfinishedApply>& unfinished);

/// What the daemon's gate saw last; `digest`: only with that file in force. Empty: nothing of the
/// kind is known.
std::optional<gate::GateReport> read_last_gate(host::Host& host,
                                               const std::optional<std::string>& digest = {});

/// The file can be used, and this machine is none of its nodes: what plans here says why.
bool is_no_node_of_its_file(const node_state::NodeState& state);

/// What the daemon found in several looks; printable.
std::vector<host::HardwareSign> hardware_faults(const node_state::NodeState& state);

/// The lock file that the daemon below that root holds as long as it lives, as this process sees
/// it (host::is_held).
std::string daemon_lock(const std::string& root);

}  // namespace spark::cli
