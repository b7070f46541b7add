// is_judged and how_it_ended: when an alert may be called over, and what ended it.

#include <algorithm>

#include <fmt/format.h>

#include "daemon/alerts/alert.hpp"
#include "daemon/alerts/alert_rules.hpp"
#include "gate/rail_facts.hpp"

namespace spark::daemon {
namespace {

std::string_view label(const Alert& alert, const std::string& name) {
  const auto found = alert.labels.find(name);
  return found == alert.labels.end() ? std::string_view{} : std::string_view(found->second);
}

bool was_looked_at(const NodeState& state) {
  return state.counters.passes > 0 && state.pass_error.empty();
}

bool file_is_newer(const Alert& alert, const NodeState& state) {
  return !state.file.digest.empty() && state.file.since.boot > alert.since.boot;
}

bool resource_is_judged(const Alert& alert, const NodeState& state) {
  const auto kind = label(alert, "kind");
  const auto key = label(alert, "key");
  return was_looked_at(state) &&
         std::ranges::none_of(state.skipped, [kind, key](const SkippedRecord& skipped) {
           return skipped.kind == kind && skipped.key == key && skipped.why == "unknown";
         });
}

/// A fact that the gate did not come to is not known: the link is down before its GID is looked
/// for, and no bandwidth is measured beside a job.
bool fact_is_judged(const Alert& alert, std::string_view id, const NodeState& state) {
  if (!state.gate) return false;
  const auto rail = std::ranges::find_if(state.gate->rails, [&alert](const gate::RailFacts& facts) {
    return facts.link == label(alert, "link") && facts.ip.text() == label(alert, "ip");
  });
  if (rail == state.gate->rails.end()) return true;  // the file asks for it no longer
  const auto fact = std::ranges::find(rail->facts, id, &gate::Fact::id);
  // With another file it may never be measured again.
  return fact == rail->facts.end() ? file_is_newer(alert, state)
                                   : fact->verdict != gate::Verdict::kUnknown;
}

bool sink_is_judged(const Alert& alert, const NodeState& state) {
  const auto sink = std::ranges::find(state.sinks, label(alert, "sink"), &SinkState::name);
  return sink == state.sinks.end() || (sink->delivered > 0 && sink->failures == 0);
}

const ChangeRecord* change_since(const Alert& alert, const NodeState& state) {
  const auto change = std::ranges::find_if(state.changes, [&alert](const ChangeRecord& record) {
    return record.kind == label(alert, "kind") && record.key == label(alert, "key") &&
           record.failure.empty() && record.at.boot >= alert.since.boot;
  });
  return change == state.changes.end() ? nullptr : &*change;
}

std::string how_a_resource_ended(const Alert& alert, const NodeState& state) {
  const auto* change = change_since(alert, state);
  if (change != nullptr && change->cause != ChangeRecord::Cause::kFile) {
    return fmt::format("corrected to {}", change->after);
  }
  if (change != nullptr || file_is_newer(alert, state)) return "the file changed";
  return "gone by itself";
}

}  // namespace

bool is_judged(const Alert& alert, const NodeState& state) {
  if (alert.name == alert_name::kNodeNotReady)
    return state.gate && state.verdict != gate::Verdict::kUnknown;
  if (alert.name == alert_name::kGidMissing) return fact_is_judged(alert, gate::kGidFact, state);
  if (alert.name == alert_name::kLoopbackBelowFloor)
    return fact_is_judged(alert, gate::kBandwidthFact, state);
  if (alert.name == alert_name::kConfigRefused) return !state.file.digest.empty();
  if (alert.name == alert_name::kSinkFailing) return sink_is_judged(alert, state);
  if (alert.name == alert_name::kGidMoved || alert.name == alert_name::kRecurringDrift ||
      alert.name == alert_name::kStateLost)
    return true;  // `until` is all
  return alert.labels.contains("kind") ? resource_is_judged(alert, state) : was_looked_at(state);
}

std::string how_it_ended(const Alert& alert, const NodeState& state) {
  if (alert.until) return "its time is over";
  if (alert.name == alert_name::kNodeNotReady)
    return fmt::format("the node is {}", gate::name_of(state.verdict));
  if (alert.name == alert_name::kConfigRefused) return "a file was accepted";
  if (alert.name == alert_name::kSinkFailing) return "it takes alerts again, or is named no longer";
  if (alert.labels.contains("kind")) return how_a_resource_ended(alert, state);
  return file_is_newer(alert, state) ? "the file changed" : "gone by itself";
}

}  // namespace spark::daemon
