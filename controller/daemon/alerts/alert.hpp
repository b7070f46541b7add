#pragma once
// Alert: something about this node that a person has to know. Which alerts are true is a function
// of NodeState; the AlertStore decides when an alert begins and ends.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/alerts/alert_rules.hpp"
#include "daemon/common/node_state.hpp"

namespace spark::daemon {

struct Alert {
  std::string name;
  std::string id;
  AlertSeverity severity = AlertSeverity::kWarning;
  /// What distinguishes it from other alerts of its name (kind, key, link, …), node and cluster.
  std::map<std::string, std::string> labels;
  std::string summary;      ///< one clause
  std::string description;  ///< what is known; may have several lines
  std::string remedy;       ///< what to do
  Moment since;
  /// For an event, not a state: the alert is true until then, whatever is seen later.
  std::optional<Moment> until;
};

/// The alerts that are true now. Pure.
std::vector<Alert> conditions(const NodeState& state);

/// Whether the state knows about the alert's subject: false while that was not looked at yet, or
/// could not be read. An alert that is unknown is not over. Pure.
bool is_judged(const Alert& alert, const NodeState& state);

/// How an alert that is no longer true ended: "corrected", "the file changed", "gone by itself", …
std::string how_it_ended(const Alert& alert, const NodeState& state);

/// Name and labels, without node and cluster: the same text whenever the same thing is seen.
std::string fingerprint(const Alert& alert);

/// True: the alert is about that sink itself, which could receive it only once the failure is over.
bool concerns(const Alert& alert, std::string_view sink);

/// "warning", "critical".
std::string_view name_of(AlertSeverity severity);

}  // namespace spark::daemon
