#pragma once
// The table of all alerts.

#include <span>
#include <string_view>

#include "daemon/alerts/common/alert_rule.hpp"

namespace spark::daemon {

/// All alerts that this program raises, in the order in which those that begin together are
/// reported. SR-ALERT-010 (a stale daemon) can only be seen from outside.
std::span<const AlertRule> alert_rules();
/// Null: no such name.
const AlertRule* alert_rule(std::string_view name);

}  // namespace spark::daemon
