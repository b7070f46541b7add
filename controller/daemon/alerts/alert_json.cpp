// Alerts as the daemon's own file holds them.

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "base/json_document.hpp"
#include "daemon/alerts/alert_rules.hpp"
#include "daemon/alerts/alert_store.hpp"

namespace spark::daemon {

constexpr std::array<std::string_view, 2> kTransitions{"raised", "resolved"};
constexpr const auto& names_of(Transition::What /*any*/) { return kTransitions; }

/// Its id and its severity follow from its name.
template <EitherConst<Alert> T, class Visit>
void each_field(T& alert, Visit visit) {
  visit("name", alert.name);
  visit("labels", alert.labels);
  visit("summary", alert.summary);
  visit("description", alert.description);
  visit("remedy", alert.remedy);
  visit("since", alert.since);
  visit("until", alert.until);
  visit("change_id", unless_empty(alert.change_id));
}

template <EitherConst<StoredAlert> T, class Visit>
void each_field(T& entry, Visit visit) {
  visit("alert", entry.alert);
  visit("quiet_since", entry.quiet_since);
  visit("resolved", entry.resolved);
  visit("how", entry.how);
  visit("returns", entry.returns);
  visit("last_return", entry.last_return);
  visit("muted", may_lack(entry.muted));
}

template <EitherConst<Transition> T, class Visit>
void each_field(T& transition, Visit visit) {
  visit("what", transition.what);
  visit("alert", transition.alert);
  visit("at", transition.at);
  visit("how", transition.how);
}

namespace {

using Json = nlohmann::json;

constexpr std::string_view kSchema = "spark-reconcile/alerts/v1";

struct AlertsFile {
  std::string boot_id;
  std::vector<StoredAlert> entries;
};

template <EitherConst<AlertsFile> T, class Visit>
void each_field(T& file, Visit visit) {
  visit("boot_id", file.boot_id);
  visit("entries", file.entries);
}

/// False: this program knows no alert of that name (any more).
bool complete(Alert& alert) {
  const auto* rule = alert_rule(alert.name);
  if (rule == nullptr) return false;
  alert.id = rule->id;
  alert.severity = rule->severity;
  return true;
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
    const auto* rule = alert_rule(entry.alert.name);
    const auto lasts = rule == nullptr ? std::chrono::minutes{} : rule->lasts;
    rebase(*entry.alert.until, now);
    entry.alert.until->boot =
        std::min<std::chrono::milliseconds>(entry.alert.until->boot, now.boot + lasts);
  }
  for (auto* moment : {&entry.quiet_since, &entry.resolved, &entry.last_return}) {
    if (*moment) rebase_past(**moment, now);
  }
}

std::unexpected<Error> not_alerts(const std::string& why) {
  return fail(ErrorCode::kInvalid, "read the alerts: " + why);
}

}  // namespace

Json AlertStore::to_json(std::string_view boot_id) const {
  AlertsFile file{.boot_id = std::string(boot_id), .entries = {}};
  for (const auto& [print, entry] : entries_) file.entries.push_back(entry);
  return document_of(kSchema, file);
}

Result<AlertStore> AlertStore::from_json(const Json& json, std::string_view boot_id,
                                         const Moment& now) {
  if (auto known = check_schema(json, kSchema); !known) return not_alerts(known.error().what);
  auto file = value_from<AlertsFile>(json);
  if (!file) return not_alerts(file.error().what);
  AlertStore book;
  for (auto& entry : file->entries) {
    if (!complete(entry.alert) || book.entries_.size() == kMost) continue;
    if (file->boot_id != boot_id) rebase(entry, now);
    auto print = fingerprint(entry.alert);
    book.entries_.emplace(std::move(print), std::move(entry));
  }
  return book;
}

Json to_json(const Transition& transition) { return TextJsonWriter::write(transition); }

Result<Transition> transition_from_json(const Json& json) {
  auto transition = value_from<Transition>(json);
  if (!transition) return not_alerts(transition.error().what);
  if (!complete(transition->alert)) return not_alerts("one of an unknown name");
  return transition;
}

}  // namespace spark::daemon
