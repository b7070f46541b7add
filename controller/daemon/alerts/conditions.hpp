#pragma once
// Which alerts are true is a function of NodeState, and so is which of them are over. The
// AlertStore decides when an alert begins and ends.

#include <string>
#include <vector>

#include "daemon/alerts/common/alert.hpp"
#include "daemon/common/node_state_names.hpp"

namespace spark::daemon {

/// The alerts that are true now. Pure.
std::vector<Alert> conditions(const NodeState& state);

/// Whether the state knows about the alert's subject: false while that was not looked at yet, or
/// could not be read. An alert that is unknown is not over. Pure.
bool is_judged(const Alert& alert, const NodeState& state);

/// How an alert that is no longer true ended: "corrected", "the file changed", "gone by itself", …
std::string how_it_ended(const Alert& alert, const NodeState& state);

}  // namespace spark::daemon
