#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "daemon/alerts/rules/rules.hpp"

namespace spark::daemon {
namespace {

/// Drift that is to be corrected, and still is not: somebody holds the lock, or hangs.
constexpr std::chrono::minutes kDueWithin{1};

std::map<std::string, std::string> labels_of(const std::string& kind, const std::string& key) {
  return {{"kind", kind}, {"key", key}};
}

/// "mtu enp1s0f0np0 is 1500, the file says 9000".
std::string text_of(const Drift& drift) {
  // Of a contest the last correction may still hold.
  return drift.have == drift.want
             ? fmt::format("{} {} is {} for now, as the file says", drift.kind, drift.key,
                           or_absent(drift.have))
             : fmt::format("{} {} is {}, the file says {}", drift.kind, drift.key,
                           or_absent(drift.have), or_absent(drift.want));
}

std::string times_text(std::size_t times) {
  return times == 1 ? "once" : fmt::format("{} times", times);
}

/// `times`: so many make the alert.
std::string how_often(std::size_t times) {
  return times == 1 ? "somebody else changed it"
                    : fmt::format(
                          "somebody changes it again and again, at least {} times within {} "
                          "hours",
                          times, kRecurringWithin.count());
}

void add_drift(const Drift& drift, std::string summary, FoundAlerts& found) {
  auto& alert = found.add_about(node_state::is_of_resource(drift), labels_of(drift.kind, drift.key),
                                std::move(summary), drift.since);
  alert.description = text_of(drift);
  if (!drift.line.empty()) alert.description += fmt::format(" ({})", drift.line);
  if (!drift.why.empty()) alert.description += "\n" + drift.why;
}

}  // namespace

void find_resource_failed(const NodeState& state, FoundAlerts& found) {
  for (const auto& drift : state.drifts) {
    if (drift.state != Drift::State::kFailed) continue;
    add_drift(drift, fmt::format("{} {} could not be corrected", drift.kind, drift.key), found);
  }
}

void find_drift(const NodeState& state, FoundAlerts& found) {
  for (const auto& drift : state.drifts) {
    if (drift.state != Drift::State::kDiffers) continue;
    // It changed again while the pass ran, or a boot has not come to it yet.
    if (drift.due && state.pass_at.boot - drift.since.boot < kDueWithin) continue;
    add_drift(drift, text_of(drift), found);
  }
}

void find_contested(const NodeState& state, FoundAlerts& found) {
  for (const auto& drift : state.drifts) {
    if (drift.state != Drift::State::kContested) continue;
    add_drift(drift, fmt::format("{} {} is written by someone else", drift.kind, drift.key), found);
  }
}

void find_recurring_drift(const NodeState& state, FoundAlerts& found) {
  if (!state.drift_alert_at) return;
  const std::size_t times = *state.drift_alert_at;
  std::map<std::pair<std::string_view, std::string_view>, std::vector<const ChangeRecord*>> drifts;
  for (const auto& change : state.changes) {
    if (change.cause == ChangeRecord::Cause::kDrift &&
        (change.failure.empty() || change.overwritten)) {
      drifts[{change.kind, change.key}].push_back(&change);
    }
  }
  for (const auto& [resource, changes] : drifts) {
    if (changes.size() < times) continue;
    const ChangeRecord& last = *changes.front();  // the newest is first
    const ChangeRecord& first = *changes[times - 1];
    if (last.at.boot - first.at.boot > kRecurringWithin) continue;
    auto& alert = found.add(labels_of(last.kind, last.key),
                            fmt::format("{} {} had to be corrected {}", last.kind, last.key,
                                        times_text(changes.size())),
                            first.at);
    alert.description =
        fmt::format("last from {} to {}{}; {}", or_absent(last.before), or_absent(last.after),
                    writer_clause(last.kind, last.writer), how_often(times));
    alert.until = later(last.at, kRecurringWithin);
  }
}

}  // namespace spark::daemon
