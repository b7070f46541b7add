#include "daemon/alerts/alert.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.hpp"
#include "daemon/alerts/alert_rules.hpp"
#include "daemon/common/verdict_reason.hpp"
#include "gate/rail_facts.hpp"

namespace spark::daemon {
namespace {

constexpr std::array<std::string_view, 2> kLabelsOfTheNode{"node", "cluster"};

/// Alerts of one state, in the order in which they are found.
class Found {
 public:
  explicit Found(const NodeState& state) : state_(state) {}

  Alert& add(std::string_view name, std::map<std::string, std::string> labels, std::string summary,
             const Moment& since) {
    const AlertRule& rule = *alert_rule(name);
    if (!state_.node.empty()) labels.emplace("node", state_.node);
    if (!state_.cluster.empty()) labels.emplace("cluster", state_.cluster);
    return alerts_.emplace_back(Alert{.name = std::string(rule.name),
                                      .id = std::string(rule.id),
                                      .severity = rule.severity,
                                      .labels = std::move(labels),
                                      .summary = std::move(summary),
                                      .remedy = std::string(rule.remedy),
                                      .since = since});
  }

  [[nodiscard]] std::vector<Alert> take() { return std::move(alerts_); }

 private:
  const NodeState& state_;
  std::vector<Alert> alerts_;
};

std::map<std::string, std::string> labels_of(const std::string& kind, const std::string& key) {
  return {{"kind", kind}, {"key", key}};
}

std::map<std::string, std::string> labels_of(const gate::RailFacts& rail) {
  return {{"link", rail.link}, {"device", rail.device}, {"ip", rail.ip.text()}};
}

std::string at_line(const std::string& line) {
  return line.empty() ? std::string() : fmt::format(" ({})", line);
}

/// "link enp1s0f0np0 192.0.2.11: down", a line for each fact of that verdict that counts.
std::string facts_of(const gate::GateReport& gate, gate::Verdict verdict) {
  std::string text;
  const auto add = [&](std::string_view where, const gate::Fact& fact) {
    if (!fact.counts || fact.verdict != verdict) return;
    text += fmt::format("{}{}{}: {} [{}]", text.empty() ? "" : "\n", where, fact.name,
                        fact.measured, fact.id);
  };
  for (const auto& rail : gate.rails) {
    for (const auto& fact : rail.facts) {
      add(fmt::format("{} {} ", rail.link, rail.ip.text()), fact);
    }
  }
  for (const auto& fact : gate.node) add("", fact);
  return text;
}

void add_verdict(const NodeState& state, Found& found) {
  const bool waits_too_long = state.verdict == gate::Verdict::kWaiting &&
                              state.gate_at.boot - state.verdict_since.boot >= kWaitsWithin;
  if (state.released) {
    auto& alert = found.add(alert_name::kNodeNotReady, {},
                            fmt::format("node {} is released", state.node), state.verdict_since);
    alert.description = release_text(state);
    return;
  }
  if (!state.gate || (state.verdict != gate::Verdict::kNotReady && !waits_too_long)) return;
  auto& alert = found.add(
      alert_name::kNodeNotReady, {},
      fmt::format("node {} {}", state.node, waits_too_long ? "still waits" : "is not ready"),
      state.verdict_since);
  alert.description = facts_of(*state.gate, state.verdict);
}

void add_rails(const NodeState& state, Found& found) {
  if (!state.gate) return;
  for (const auto& rail : state.gate->rails) {
    for (const auto& fact : rail.facts) {
      if (fact.verdict != gate::Verdict::kNotReady) continue;
      const bool is_gid = fact.id == gate::kGidFact;
      if (!is_gid && fact.id != gate::kBandwidthFact) continue;
      auto& alert = found.add(is_gid ? alert_name::kGidMissing : alert_name::kLoopbackBelowFloor,
                              labels_of(rail), fmt::format("{}: {}", rail.device, fact.measured),
                              state.gate_at);
      if (!fact.remedy.empty()) alert.remedy = fact.remedy;
    }
  }
}

void add_drifts(const NodeState& state, Found& found) {
  for (const auto& drift : state.drifts) {
    // Of a contest the last correction may still hold.
    const auto differs = drift.have == drift.want
                             ? fmt::format("{} {} is {} for now, as the file says", drift.kind,
                                           drift.key, or_absent(drift.have))
                             : fmt::format("{} {} is {}, the file says {}", drift.kind, drift.key,
                                           or_absent(drift.have), or_absent(drift.want));
    const auto add = [&](std::string_view name, std::string summary) {
      auto& alert =
          found.add(name, labels_of(drift.kind, drift.key), std::move(summary), drift.since);
      alert.description = differs + at_line(drift.line);
      if (!drift.why.empty()) alert.description += "\n" + drift.why;
      if (!drift.remedy.empty()) alert.remedy = drift.remedy;
    };
    switch (drift.state) {
      case Drift::State::kDiffers:
        // It changed again while the pass ran, or a boot has not come to it yet.
        if (!drift.due || state.pass_at.boot - drift.since.boot >= kDueWithin) {
          add(alert_name::kDrift, differs);
        }
        break;
      case Drift::State::kFailed:
        add(alert_name::kResourceFailed,
            fmt::format("{} {} could not be corrected", drift.kind, drift.key));
        break;
      case Drift::State::kContested:
        add(alert_name::kContested,
            fmt::format("{} {} is written by someone else", drift.kind, drift.key));
        break;
    }
  }
}

void add_recurring(const NodeState& state, Found& found) {
  std::map<std::pair<std::string_view, std::string_view>, std::vector<const ChangeRecord*>> drifts;
  for (const auto& change : state.changes) {
    if (change.cause == ChangeRecord::Cause::kDrift &&
        (change.failure.empty() || change.overwritten)) {
      drifts[{change.kind, change.key}].push_back(&change);
    }
  }
  for (const auto& [resource, changes] : drifts) {
    if (changes.size() < kRecurringTimes) continue;
    const ChangeRecord& last = *changes.front();  // the newest is first
    const ChangeRecord& first = *changes[kRecurringTimes - 1];
    if (last.at.boot - first.at.boot > kRecurringWithin) continue;
    auto& alert = found.add(
        alert_name::kRecurringDrift, labels_of(last.kind, last.key),
        fmt::format("{} {} had to be corrected {} times", last.kind, last.key, changes.size()),
        first.at);
    alert.description = fmt::format(
        "last from {} to {}; somebody changes it again and again, at least {} times "
        "within {} hours",
        or_absent(last.before), or_absent(last.after), kRecurringTimes, kRecurringWithin.count());
    alert.until = later(last.at, kRecurringWithin);
  }
}

void add_file(const NodeState& state, Found& found) {
  if (state.file.refused.empty()) return;
  auto& alert = found.add(alert_name::kConfigRefused, {},
                          fmt::format("the file was refused: {}", state.file.refused_first),
                          state.file.refused_since);
  alert.description = state.file.refused;
}

void add_gid_moves(const NodeState& state, Found& found) {
  for (const auto& move : state.gid_moves) {
    auto& alert = found.add(alert_name::kGidMoved,
                            {{"link", move.link}, {"device", move.device}, {"ip", move.ip}},
                            fmt::format("the GID of {} on {} moved from index {} to {}", move.ip,
                                        move.device, move.from, move.to),
                            move.at);
    alert.until = later(move.at, kGidMoveCounts);
  }
}

void add_loss(const NodeState& state, Found& found) {
  if (!state.loss) return;
  auto& alert =
      found.add(alert_name::kStateLost, {},
                "somebody else removed or changed what this program keeps on disk", state.loss->at);
  alert.description = state.loss->what;
  alert.until = later(state.loss->at, kStateLossCounts);
}

void add_sinks(const NodeState& state, Found& found) {
  for (const auto& sink : state.sinks) {
    if (sink.failures < kSinkFailures) continue;
    auto& alert = found.add(alert_name::kSinkFailing, {{"sink", sink.name}},
                            fmt::format("alerts do not reach {}: {}", sink.name, sink.error),
                            sink.failing_since);
    alert.description = fmt::format("{} tries in a row failed, {} messages were dropped",
                                    sink.failures, sink.dropped);
  }
}

void add_passes(const NodeState& state, Found& found) {
  if (!state.refusals.empty()) {
    auto& alert =
        found.add(alert_name::kChangesRefused, {},
                  fmt::format("nothing is changed: {}", state.refusals.front()), state.pass_at);
    for (const auto& refusal : state.refusals) {
      alert.description += (alert.description.empty() ? "" : "\n") + refusal;
    }
  }
  if (!state.pass_error.empty()) {
    found.add(alert_name::kPassFailing, {},
              fmt::format("this node cannot be looked at: {}", state.pass_error), state.pass_at);
  }
}

}  // namespace

std::vector<Alert> conditions(const NodeState& state) {
  Found found(state);
  add_verdict(state, found);
  add_drifts(state, found);
  add_recurring(state, found);
  add_file(state, found);
  add_rails(state, found);
  add_gid_moves(state, found);
  add_loss(state, found);
  add_sinks(state, found);
  add_passes(state, found);
  return found.take();
}

std::string fingerprint(const Alert& alert) {
  std::string text = alert.name;
  for (const auto& [name, value] : alert.labels) {
    if (std::ranges::find(kLabelsOfTheNode, name) != kLabelsOfTheNode.end()) continue;
    // A length before each value: no two sets of labels give one text.
    text += fmt::format(" {}={}:{}", name, value.size(), value);
  }
  return text;
}

bool concerns(const Alert& alert, std::string_view sink) {
  const auto label = alert.labels.find("sink");
  return alert.name == alert_name::kSinkFailing && label != alert.labels.end() &&
         label->second == sink;
}

std::string_view name_of(AlertSeverity severity) {
  return severity == AlertSeverity::kCritical ? "critical" : "warning";
}

}  // namespace spark::daemon
