#pragma once
// Alert: something about this node that a person has to know.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/moment.hpp"
#include "daemon/common/node_state_names.hpp"

namespace spark::daemon {

enum class AlertSeverity : std::uint8_t { kWarning, kCritical };

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
  /// `--change-id` of the last change on this node, as the alert began; empty: it had none.
  std::string change_id;
};

/// The value of a label; empty: the alert has no such label.
std::string_view label_of(const Alert& alert, const std::string& name);

/// True: another file came into force since the alert began.
bool file_is_newer(const Alert& alert, const NodeState& state);

/// Name and labels, without node and cluster: the same text whenever the same thing is seen.
std::string fingerprint(const Alert& alert);

/// True: the alert is about that sink itself, which could receive it only once the failure is over.
bool concerns(const Alert& alert, std::string_view sink);

inline constexpr std::array<std::string_view, 2> kAlertSeverities{"warning", "critical"};
constexpr const auto& names_of(AlertSeverity /*any*/) { return kAlertSeverities; }
/// "warning", "critical".
std::string_view name_of(AlertSeverity severity);

}  // namespace spark::daemon
