#pragma once
// Alert: something about this node that a person has to know. Which are true is a function of
// NodeState; when one begins and ends is the AlertStore's business.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/common/node_state.hpp"

namespace spark {

enum class AlertSeverity : std::uint8_t { kWarning, kCritical };

/// What never changes about the alerts of one name.
struct AlertRule {
  std::string_view name;        ///< "SparkNodeNotReady"
  std::string_view id;          ///< SR-ALERT-NNN
  AlertSeverity severity{};     ///<
  std::string_view message_id;  ///< of its journal entries; systemd/spark-reconcile.catalog has it
  std::string_view remedy;      ///< where the cause has none of its own
};

/// All that this program raises, in the order of their ids. SR-ALERT-010, a daemon that is stale,
/// can only be seen from outside.
std::span<const AlertRule> alert_rules();
/// Null: no such name.
const AlertRule* alert_rule(std::string_view name);

struct Alert {
  std::string name;
  std::string id;
  AlertSeverity severity = AlertSeverity::kWarning;
  /// What tells it from others of its name (kind, key, link, …), and node and cluster.
  std::map<std::string, std::string> labels;
  std::string summary;      ///< one clause
  std::string description;  ///< what is known; may have several lines
  std::string remedy;       ///< what to do
  Moment since;
  /// Of something that happened, and is not a state: it is true until then, whatever is seen later.
  std::optional<Moment> until;
};

/// What is true now. Pure.
std::vector<Alert> conditions(const NodeState& state);

/// Whether the state knows about the alert: false while that was not looked at yet, or could not be
/// read. What is unknown is not over. Pure.
bool is_judged(const Alert& alert, const NodeState& state);

/// How an alert that is no longer true ended: "corrected", "the file changed", "gone by itself", …
std::string how_it_ended(const Alert& alert, const NodeState& state);

/// By name and labels but node and cluster: one text for one thing, however often it is seen.
std::string fingerprint(const Alert& alert);

/// It is about that sink itself, which would hear of its own failure once that is over.
bool concerns(const Alert& alert, std::string_view sink);

/// "warning", "critical".
std::string_view name_of(AlertSeverity severity);

}  // namespace spark
