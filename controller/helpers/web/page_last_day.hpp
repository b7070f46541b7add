#pragma once
// last_day_html: how this node stood in the last day, as a strip.

#include <string>

#include "base/moment.hpp"
#include "daemon/common/node_state.hpp"

namespace spark::helpers {

/// Empty: the daemon knows of no verdict yet.
std::string last_day_html(const daemon::NodeState& state, const Moment& now);

}  // namespace spark::helpers
