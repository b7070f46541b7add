#pragma once
// Alerts as receivers want them: Alertmanager's API version 2, its webhook body version 4, and the
// JSON of hooks. Pure.

#include <chrono>
#include <map>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "daemon/alerts/alert_store.hpp"

namespace spark::daemon {

using WallTime = std::chrono::sys_time<std::chrono::milliseconds>;

/// What identifies the alert to Alertmanager: alertname, severity and its own labels.
std::map<std::string, std::string> wire_labels(const Alert& alert);

/// As Alertmanager computes it (FNV-1a of the sorted labels): 16 hexadecimal digits.
std::string wire_fingerprint(const std::map<std::string, std::string>& labels);

/// One item of POST /api/v2/alerts. `ends`: when the alert ended, or when it is over if nobody
/// reports it again.
nlohmann::json alertmanager_item(const Alert& alert, WallTime ends);

/// https://prometheus.io/docs/alerting/latest/configuration/#webhook_config
nlohmann::json webhook_body(const Transition& transition, std::string_view receiver);

/// What a hook reads: one alert with all that is known.
nlohmann::json hook_input(const Transition& transition);

/// "SparkDrift: mtu eth0 is 1500, …", or "SparkDrift is over (corrected to 9000): …".
std::string message_of(const Transition& transition);

/// At most so many bytes, cut between characters.
std::string cut(std::string_view text, std::size_t most_bytes);

/// As text for a socket: bytes that are not UTF-8 are replaced.
std::string dump(const nlohmann::json& json);

}  // namespace spark::daemon
