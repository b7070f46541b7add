#pragma once
// Nodes as a daemon may know them: what pages, metrics and status.json are made of in tests.

#include <map>
#include <string>

#include "daemon/common/node_state_names.hpp"

namespace spark::daemon {

/// 2031-04-05 06:07:08 UTC, on a machine that is up for some hours.
Moment test_now();
/// So long before test_now().
Moment ago(std::chrono::milliseconds duration);

/// By name: "nothing" (a daemon that has just started), "ready", "ring", "switch", "contested",
/// "refused", "unproven", "miswired", "misplaced", "unplugged", "waiting", "paused", "hostile"
/// (markup and worse in every text) and "huge" (of everything more than a node has).
const std::map<std::string, NodeState>& test_states();

}  // namespace spark::daemon
