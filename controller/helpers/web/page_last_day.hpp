#pragma once
// last_day_html, last_days_html: how nodes stood in the last day, as a strip each.

#include <string>

#include "base/moment.hpp"
#include "helpers/web/page_nodes.hpp"
#include "node_state/node_state.hpp"

namespace spark::helpers {

/// Of this node alone. Empty: the daemon knows of no verdict yet.
std::string last_day_html(const node_state::NodeState& state, const Moment& now);

/// Of each node, as it told, until it fell silent. Of many nodes there are the first, and how many
/// more there are.
std::string last_days_html(const node_state::NodeState& state, const ShownCluster& cluster,
                           const Moment& now);

}  // namespace spark::helpers
