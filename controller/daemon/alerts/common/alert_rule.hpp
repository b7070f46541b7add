#pragma once
// AlertRule: all that the alerts of one name have in common, and how they are found and end.

#include <chrono>
#include <string>
#include <string_view>

#include "daemon/alerts/common/alert.hpp"
#include "daemon/common/node_state_names.hpp"

namespace spark::daemon {

class FoundAlerts;

struct AlertRule {
  std::string_view name;  ///< "SparkNodeNotReady"
  std::string_view id;    ///< SR-ALERT-NNN
  AlertSeverity severity{};
  std::string_view message_id;  ///< of its journal entries; systemd/spark-reconcile.catalog has it
  std::string_view remedy;      ///< what to do, where the cause has no remedy of its own

  /// The condition: adds an alert for each cause in the state. Pure.
  void (*find)(const NodeState& state, FoundAlerts& found) = nullptr;
  /// False: the state cannot tell whether the cause is gone. Null: by the last pass, and for an
  /// alert with a label `kind` by that resource (conditions.cpp).
  bool (*is_judged)(const Alert& alert, const NodeState& state) = nullptr;
  /// The words for the end. Null: "the file changed" or "gone by itself", and for an alert with a
  /// label `kind` also "corrected to …".
  std::string (*how_it_ended)(const Alert& alert, const NodeState& state) = nullptr;
  /// Of an event, not a state: how long the alert is true after it. Zero: a state.
  std::chrono::minutes lasts{};
};

}  // namespace spark::daemon
