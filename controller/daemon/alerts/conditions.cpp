#include "daemon/alerts/conditions.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "daemon/alerts/alert_rules.hpp"
#include "daemon/alerts/common/found_alerts.hpp"
#include "node_state/problems.hpp"

namespace spark::daemon {
namespace {

bool was_looked_at(const NodeState& state) {
  return state.counters.passes > 0 && state.pass_error.empty();
}

bool resource_is_judged(const Alert& alert, const NodeState& state) {
  const auto kind = label_of(alert, "kind");
  const auto key = label_of(alert, "key");
  return was_looked_at(state) &&
         std::ranges::none_of(state.skipped, [kind, key](const SkippedRecord& skipped) {
           return skipped.kind == kind && skipped.key == key &&
                  skipped.why == kinds::Skipped::Why::kUnknown;
         });
}

const ChangeRecord* change_since(const Alert& alert, const NodeState& state) {
  const auto change = std::ranges::find_if(state.changes, [&alert](const ChangeRecord& record) {
    return record.kind == label_of(alert, "kind") && record.key == label_of(alert, "key") &&
           record.failure.empty() && record.at.boot >= alert.since.boot;
  });
  return change == state.changes.end() ? nullptr : &*change;
}

std::string how_a_resource_ended(const Alert& alert, const NodeState& state) {
  const auto* change = change_since(alert, state);
  if (change != nullptr && change->cause != ChangeRecord::Cause::kFile) {
    return fmt::format("corrected to {}", or_absent(change->after));
  }
  if (change != nullptr || file_is_newer(alert, state)) return "the file changed";
  return "gone by itself";
}

}  // namespace

std::vector<Alert> conditions(const NodeState& state) {
  std::vector<Alert> alerts;
  const auto diagnosis = diagnosis_of(state, state.pass_at);
  for (const auto& rule : alert_rules()) {
    FoundAlerts found(rule, state, diagnosis, alerts);
    rule.find(state, found);
  }
  return alerts;
}

bool is_judged(const Alert& alert, const NodeState& state) {
  if (const auto* rule = alert_rule(alert.name)) {
    if (rule->lasts.count() > 0) return true;  // `until` is all
    if (rule->is_judged != nullptr) return rule->is_judged(alert, state);
  }
  return alert.labels.contains("kind") ? resource_is_judged(alert, state) : was_looked_at(state);
}

std::string how_it_ended(const Alert& alert, const NodeState& state) {
  if (alert.until) return "its time is over";
  const auto* rule = alert_rule(alert.name);
  if (rule != nullptr && rule->how_it_ended != nullptr) return rule->how_it_ended(alert, state);
  if (alert.labels.contains("kind")) return how_a_resource_ended(alert, state);
  return file_is_newer(alert, state) ? "the file changed" : "gone by itself";
}

}  // namespace spark::daemon
