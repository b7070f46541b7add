#pragma once
// publish: what others may read of the daemon's state, below /run.

#include <string>

#include "daemon/common/node_state_names.hpp"
#include "host/files.hpp"
#include "node_state/node_document.hpp"

namespace spark::daemon {

// The order for spark-peers: what a pass knows, with what the state adds.

/// It bears no times, and so stays the same where nothing changes.
std::string peers_order_json(const NodeState& state);

/// Replaces the files of status and metrics and those for spark-peers, spark-web and the verbs,
/// which all may read. A file that cannot be written stops nothing. False: one of them is of
/// before, and not the metrics, whose reader sees how old they are.
bool publish(host::Files& files, const node_state::NodeDocument& document);

/// Replaces that of spark-web and the verbs alone, before there is a status.
bool publish_document(host::Files& files, const node_state::NodeDocument& document);

/// Removes what was published: nobody updates it any more.
void remove(host::Files& files);

/// "ready; 23 in sync": for `systemctl status`.
std::string one_line(const NodeState& state);

}  // namespace spark::daemon
