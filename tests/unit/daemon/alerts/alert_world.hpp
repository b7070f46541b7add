#pragma once
// The states and instants of the tests of alerts.

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "daemon/alerts/conditions.hpp"
#include "daemon/common/node_state_names.hpp"

namespace spark::daemon {

/// So long after a boot at noon of 2026-01-01 UTC.
inline Moment at(std::chrono::milliseconds boot) {
  using namespace std::chrono_literals;
  constexpr std::chrono::sys_time<std::chrono::milliseconds> kBooted(1'767'268'800'000ms);
  return {kBooted + boot, boot};
}

/// A node that was looked at, and is as its file says.
inline NodeState healthy() {
  using namespace std::chrono_literals;
  NodeState state;
  state.node = "spark1";
  state.cluster = "lab";
  state.file = {.path = "/etc/spark-reconcile/cluster.yaml", .digest = "d1", .since = at(1s)};
  state.gate.emplace();
  state.gate_at = at(2s);
  state.verdict = gate::Verdict::kReady;
  state.verdict_since = at(2s);
  state.pass_at = at(2s);
  state.counters.passes = 1;
  return state;
}

inline Drift failed_mtu(Moment since) {
  return {.kind = "mtu",
          .key = "enp1s0f0np0",
          .state = Drift::State::kFailed,
          .have = "1500",
          .want = "9000",
          .since = since,
          .why = "set mtu of 'enp1s0f0np0' to 9000: Invalid argument",
          .line = "cluster.yaml:12:5"};
}

/// Healthy but for an MTU that cannot be set.
inline NodeState failing() {
  auto state = healthy();
  state.drifts = {failed_mtu(at(std::chrono::seconds(5)))};
  return state;
}

inline gate::RailFacts rail(std::vector<gate::Fact> facts) {
  return {.link = "enp1s0f0np0",
          .device = "rocep1s0f0",
          .ip = *IpAddress::parse("192.0.2.11"),
          .facts = std::move(facts)};
}

/// The names of the alerts that are true, each with a blank behind it.
inline std::string names_of(const NodeState& state) {
  std::string names;
  for (const auto& alert : conditions(state)) names += alert.name + " ";
  return names;
}

/// The alert that is true; a failure where there are none or several.
inline Alert only_of(const NodeState& state) {
  const auto alerts = conditions(state);
  EXPECT_EQ(alerts.size(), 1U);
  return alerts.empty() ? Alert{} : alerts.front();
}

}  // namespace spark::daemon
