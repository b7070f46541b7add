#include "daemon/alerts/sinks/alert_formats.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace spark::daemon {
namespace {

using Json = nlohmann::json;

/// A refused file may have a hundred findings; the journal has them all.
constexpr std::size_t kMostText = 4096;
/// What Alertmanager writes for an alert that has no end yet: Go's zero time.
constexpr std::string_view kNoEnd = "0001-01-01T00:00:00Z";

Json annotations(const Alert& alert) {
  Json json{{"id", alert.id}, {"summary", cut(alert.summary, kMostText)}};
  if (!alert.description.empty()) json["description"] = cut(alert.description, kMostText);
  if (!alert.remedy.empty()) json["remedy"] = alert.remedy;
  if (!alert.change_id.empty()) json["change_id"] = alert.change_id;
  return json;
}

Json annotations(const Transition& transition) {
  auto json = annotations(transition.alert);
  if (!transition.how.empty()) json["how"] = transition.how;
  return json;
}

std::string_view status_of(const Transition& transition) {
  return transition.what == Transition::What::kRaised ? "firing" : "resolved";
}

}  // namespace

std::map<std::string, std::string> wire_labels(const Alert& alert) {
  auto labels = alert.labels;
  labels["alertname"] = alert.name;
  labels["severity"] = name_of(alert.severity);
  return labels;
}

std::string wire_fingerprint(const std::map<std::string, std::string>& labels) {
  constexpr std::uint64_t kOffset = 14695981039346656037U;
  constexpr std::uint64_t kPrime = 1099511628211U;
  constexpr char kSeparator = '\xFF';
  std::uint64_t sum = kOffset;
  const auto add = [&sum](std::string_view text) {
    for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * kPrime;
    sum = (sum ^ static_cast<unsigned char>(kSeparator)) * kPrime;
  };
  for (const auto& [name, value] : labels) {
    add(name);
    add(value);
  }
  return fmt::format("{:016x}", sum);
}

Json alertmanager_item(const Alert& alert, WallTime ends) {
  return {{"labels", wire_labels(alert)},
          {"annotations", annotations(alert)},
          {"startsAt", utc_text(alert.since.wall)},
          // Alertmanager refuses an end before the beginning, as a wall clock that was set back
          // would have it.
          {"endsAt", utc_text(std::max(ends, alert.since.wall))}};
}

Json webhook_body(const Transition& transition, std::string_view receiver) {
  const Alert& alert = transition.alert;
  const bool is_over = transition.what == Transition::What::kResolved;
  const auto labels = wire_labels(alert);
  const Json item{{"status", status_of(transition)},
                  {"labels", labels},
                  {"annotations", annotations(transition)},
                  {"startsAt", utc_text(alert.since.wall)},
                  {"endsAt", is_over ? utc_text(transition.at.wall) : std::string(kNoEnd)},
                  {"generatorURL", ""},
                  {"fingerprint", wire_fingerprint(labels)}};
  return {
      {"version", "4"},         {"groupKey", fmt::format("{{}}:{{alertname=\"{}\"}}", alert.name)},
      {"truncatedAlerts", 0},   {"status", status_of(transition)},
      {"receiver", receiver},   {"groupLabels", {{"alertname", alert.name}}},
      {"commonLabels", labels}, {"commonAnnotations", annotations(transition)},
      {"externalURL", ""},      {"alerts", Json::array({item})}};
}

Json hook_input(const Transition& transition) {
  const Alert& alert = transition.alert;
  const bool is_over = transition.what == Transition::What::kResolved;
  return {{"schema", "spark-reconcile/alert/v1"},
          {"status", status_of(transition)},
          {"alert", alert.name},
          {"id", alert.id},
          {"severity", name_of(alert.severity)},
          {"labels", alert.labels},
          {"summary", alert.summary},
          {"description", alert.description},
          {"remedy", alert.remedy},
          {"since", utc_text(alert.since.wall)},
          {"until", is_over ? Json(utc_text(transition.at.wall)) : Json(nullptr)},
          {"how", is_over ? Json(transition.how) : Json(nullptr)},
          {"fingerprint", wire_fingerprint(wire_labels(alert))},
          {"change_id", alert.change_id.empty() ? Json(nullptr) : Json(alert.change_id)}};
}

std::string message_of(const Transition& transition) {
  const Alert& alert = transition.alert;
  return transition.what == Transition::What::kRaised
             ? fmt::format("{}: {}", alert.name, alert.summary)
             : fmt::format("{} is over ({}): {}", alert.name, transition.how, alert.summary);
}

std::string cut(std::string_view text, std::size_t most_bytes) {
  if (text.size() <= most_bytes) return std::string(text);
  constexpr std::string_view kMore = "...";
  std::size_t end = most_bytes > kMore.size() ? most_bytes - kMore.size() : 0;
  const auto continues = [&text](std::size_t i) {
    return (static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U;
  };
  while (end > 0 && continues(end)) --end;
  return std::string(text.substr(0, end)) + std::string(kMore);
}

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace spark::daemon
