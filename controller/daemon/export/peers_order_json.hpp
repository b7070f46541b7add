#pragma once
// The order for spark-peers: what a pass knows, with what the state adds.

#include <string>

#include "daemon/common/node_state_names.hpp"

namespace spark::daemon {

/// It bears no times, and so stays the same where nothing changes.
std::string peers_order_json(const NodeState& state);

}  // namespace spark::daemon
