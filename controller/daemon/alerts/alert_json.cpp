// Alerts as the daemon's own file holds them.

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json_integer.hpp"
#include "daemon/alerts/alert_rules.hpp"
#include "daemon/alerts/alert_store.hpp"

namespace spark::daemon {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kSchema = "spark-reconcile/alerts/v1";

Json to_json(const Moment& moment) {
  return {{"wall_ms", moment.wall.time_since_epoch().count()}, {"boot_ms", moment.boot.count()}};
}

Moment moment_from(const Json& json) {
  return {decltype(Moment::wall)(milliseconds_of(json.at("wall_ms"))),
          milliseconds_of(json.at("boot_ms"))};
}

Json to_json(const std::optional<Moment>& moment) {
  return moment ? to_json(*moment) : Json(nullptr);
}

std::optional<Moment> moment_or_none(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return moment_from(json);
}

Json to_json(const Alert& alert) {
  return {{"name", alert.name},           {"labels", alert.labels},
          {"summary", alert.summary},     {"description", alert.description},
          {"remedy", alert.remedy},       {"since", to_json(alert.since)},
          {"until", to_json(alert.until)}};
}

/// Empty: this program knows no alert of that name (any more).
std::optional<Alert> alert_from(const Json& json) {
  const auto* rule = alert_rule(json.at("name").get_ref<const std::string&>());
  if (rule == nullptr) return std::nullopt;
  return Alert{.name = std::string(rule->name),
               .id = std::string(rule->id),
               .severity = rule->severity,
               .labels = json.at("labels").get<std::map<std::string, std::string>>(),
               .summary = json.at("summary").get<std::string>(),
               .description = json.at("description").get<std::string>(),
               .remedy = json.at("remedy").get<std::string>(),
               .since = moment_from(json.at("since")),
               .until = moment_or_none(json.at("until"))};
}

Json entry_to_json(const StoredAlert& entry) {
  return {{"alert", to_json(entry.alert)},
          {"quiet_since", to_json(entry.quiet_since)},
          {"resolved", to_json(entry.resolved)},
          {"how", entry.how},
          {"returns", entry.returns},
          {"last_return", to_json(entry.last_return)}};
}

std::optional<StoredAlert> entry_from(const Json& json) {
  auto alert = alert_from(json.at("alert"));
  if (!alert) return std::nullopt;
  return StoredAlert{.alert = *std::move(alert),
                     .quiet_since = moment_or_none(json.at("quiet_since")),
                     .resolved = moment_or_none(json.at("resolved")),
                     .how = json.at("how").get<std::string>(),
                     .returns = json.at("returns").get<unsigned>(),
                     .last_return = moment_or_none(json.at("last_return"))};
}

/// A moment of another boot, as this one's clock would have it: before the boot, that is negative.
/// A wall clock that was set back since cannot put it into the future.
void rebase(Moment& moment, const Moment& now) {
  moment.boot = now.boot + (moment.wall - now.wall);
}

void rebase_past(Moment& moment, const Moment& now) {
  rebase(moment, now);
  moment.boot = std::min(moment.boot, now.boot);
}

void rebase(StoredAlert& entry, const Moment& now) {
  rebase_past(entry.alert.since, now);
  if (entry.alert.until) {
    rebase(*entry.alert.until, now);
    entry.alert.until->boot =
        std::min<std::chrono::milliseconds>(entry.alert.until->boot, now.boot + kRecurringWithin);
  }
  for (auto* moment : {&entry.quiet_since, &entry.resolved, &entry.last_return}) {
    if (*moment) rebase_past(**moment, now);
  }
}

std::unexpected<Error> not_an_alert(const Json::exception& error) {
  return fail(ErrorCode::kInvalid, fmt::format("read the alerts: {}", error.what()));
}

}  // namespace

Json AlertStore::to_json(std::string_view boot_id) const {
  auto list = Json::array();
  for (const auto& [print, entry] : entries_) list.push_back(entry_to_json(entry));
  return {{"schema", kSchema}, {"boot_id", boot_id}, {"entries", std::move(list)}};
}

Result<AlertStore> AlertStore::from_json(const Json& json, std::string_view boot_id,
                                         const Moment& now) {
  try {
    if (json.at("schema") != kSchema) {
      return fail(ErrorCode::kInvalid, "read the alerts: of another version");
    }
    const bool same_boot = json.at("boot_id") == boot_id;
    AlertStore book;
    for (const auto& item : json.at("entries")) {
      auto entry = entry_from(item);
      if (!entry || book.entries_.size() == kMost) continue;
      if (!same_boot) rebase(*entry, now);
      auto print = fingerprint(entry->alert);
      book.entries_.emplace(std::move(print), *std::move(entry));
    }
    return book;
  } catch (const Json::exception& error) {
    return not_an_alert(error);
  }
}

Json to_json(const Transition& transition) {
  return {{"what", transition.what == Transition::What::kRaised ? "raised" : "resolved"},
          {"alert", to_json(transition.alert)},
          {"at", to_json(transition.at)},
          {"how", transition.how}};
}

Result<Transition> transition_from_json(const Json& json) {
  try {
    auto alert = alert_from(json.at("alert"));
    if (!alert) return fail(ErrorCode::kInvalid, "read the alerts: one of an unknown name");
    return Transition{
        json.at("what") == "raised" ? Transition::What::kRaised : Transition::What::kResolved,
        *std::move(alert), moment_from(json.at("at")), json.at("how").get<std::string>()};
  } catch (const Json::exception& error) {
    return not_an_alert(error);
  }
}

}  // namespace spark::daemon
