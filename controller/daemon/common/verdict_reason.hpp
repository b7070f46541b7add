#pragma once
// why_of: why the verdict of a NodeState is what it is.

#include <string>

#include "daemon/common/node_state.hpp"

namespace spark::daemon {

/// "released at … by …: nothing is set until …"; empty: it is not released.
std::string release_text(const NodeState& state);

/// Why the verdict is what it is, on one line; where the node is ready, what the gate found.
std::string why_of(const NodeState& state);

}  // namespace spark::daemon
