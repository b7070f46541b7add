#include <map>
#include <string>

#include <gtest/gtest.h>

#include "daemon/alerts/rules/rules.hpp"
#include "daemon/reconcile/gate_record.hpp"
#include "unit/daemon/alerts/alert_world.hpp"

namespace spark::daemon {
namespace {

using namespace std::chrono_literals;

TEST(Conditions, NameTheFactsThatKeepANodeFromBeingReady) {
  auto state = healthy();
  state.verdict = gate::Verdict::kNotReady;
  state.verdict_since = at(9s);
  state.gate->rails.push_back(rail({{.verdict = gate::Verdict::kNotReady,
                                     .id = "SR-GATE-001",
                                     .name = "link",
                                     .measured = "down"}}));
  const auto alert = only_of(state);
  EXPECT_EQ(alert.name, "SparkNodeNotReady");
  EXPECT_EQ(alert.severity, AlertSeverity::kCritical);
  EXPECT_EQ(alert.labels,
            (std::map<std::string, std::string>{{"cluster", "lab"}, {"node", "spark1"}}));
  EXPECT_EQ(alert.description, "link of enp1s0f0np0: down [SR-GATE-001]");
  EXPECT_EQ(alert.since.boot, 9s);
}

TEST(Conditions, NameTheRootAndItsRemedyAndRaiseNoAlertOfWhatFollows) {
  auto state = healthy();
  state.verdict = gate::Verdict::kNotReady;
  state.gate->rails.push_back(rail({{.verdict = gate::Verdict::kNotReady,
                                     .id = "SR-GATE-003",
                                     .name = "address",
                                     .measured = "192.0.2.11 is not there",
                                     .remedy = "spark-reconcile apply"},
                                    {.verdict = gate::Verdict::kNotReady,
                                     .id = "SR-GATE-005",
                                     .name = "gid",
                                     .measured = "no RoCE v2 GID"}}));
  const auto alert = only_of(state);
  EXPECT_EQ(alert.name, "SparkNodeNotReady");
  EXPECT_EQ(alert.description, "address of enp1s0f0np0: 192.0.2.11 is not there [SR-GATE-003]");
  EXPECT_EQ(alert.remedy, "spark-reconcile apply");
  // What was raised before its cause came is not over.
  auto before = state;
  before.gate->rails[0].facts[0].verdict = gate::Verdict::kReady;
  const auto gid = conditions(before).back();
  ASSERT_EQ(gid.name, "SparkGidMissing");
  EXPECT_FALSE(is_judged(gid, state));
}

TEST(Conditions, CallAnUnknownNodeNoAlert) {
  auto state = healthy();
  state.verdict = gate::Verdict::kUnknown;
  EXPECT_EQ(names_of(state), "");
}

TEST(Conditions, TellANodeThatWaitsForLong) {
  auto state = healthy();
  state.verdict = gate::Verdict::kWaiting;
  state.verdict_since = at(9s);
  state.gate->node.push_back({.verdict = gate::Verdict::kWaiting,
                              .id = "SR-GATE-012",
                              .name = "storage",
                              .measured = "the target does not answer"});
  state.gate_at = at(9s + 14min);
  EXPECT_EQ(names_of(state), "");
  state.gate_at = at(9s + 15min);
  const auto alert = only_of(state);
  EXPECT_EQ(alert.name, "SparkNodeNotReady");
  EXPECT_EQ(alert.summary, "node spark1 still waits");
  EXPECT_EQ(alert.description, "storage: the target does not answer [SR-GATE-012]");
}

TEST(Conditions, TellAMissingGidAndASlowLoopbackOfARail) {
  auto state = healthy();
  state.gate->rails.push_back(rail(
      {{.verdict = gate::Verdict::kNotReady, .id = "SR-GATE-005", .measured = "no RoCE v2 GID"},
       {.verdict = gate::Verdict::kNotReady, .id = "SR-GATE-009", .measured = "9.0 Gb/s"}}));
  EXPECT_EQ(names_of(state), "SparkGidMissing SparkLoopbackBelowFloor ");
  EXPECT_EQ(conditions(state)[0].labels.at("device"), "rocep1s0f0");
  state.gate->rails[0].facts[0].verdict = gate::Verdict::kUnknown;
  EXPECT_EQ(names_of(state), "SparkLoopbackBelowFloor ");
}

TEST(Conditions, TellAMovedGidForTenMinutes) {
  GateRecord known(at(0s));
  const auto& moves = known.part().gid_moves;
  gate::GateReport report;
  report.rails.push_back(rail({}));
  report.rails[0].gid_index = 3;
  known.note_report(report, false, at(1s));
  report.rails[0].gid_index.reset();  // it may be away in between
  known.note_report(report, false, at(2s));
  EXPECT_TRUE(moves.empty());
  report.rails[0].gid_index = 5;
  known.note_report(report, false, at(3s));
  auto state = healthy();
  state.gid_moves = moves;
  const auto alert = only_of(state);
  EXPECT_EQ(alert.summary, "the GID of 192.0.2.11 on rocep1s0f0 moved from index 3 to 5");
  EXPECT_EQ(alert.until->boot, 10min + 3s);
  known.note_report(report, false, at(4s));
  EXPECT_EQ(moves.size(), 1U);
}

TEST(IsJudged, TakesARailsFactThatWasNotReachedForUnknown) {
  auto state = healthy();
  state.gate->rails.push_back(
      rail({{.verdict = gate::Verdict::kNotReady, .id = "SR-GATE-009", .measured = "9.0 Gb/s"}}));
  const auto alert = only_of(state);
  state.gate->rails[0].facts[0] = {.verdict = gate::Verdict::kReady, .id = "SR-GATE-001"};
  EXPECT_FALSE(is_judged(alert, state)) << "a job uses the device";
  state.file.since = at(1h);
  EXPECT_TRUE(is_judged(alert, state)) << "the new file may have no floor";
}

TEST(Conditions, TellThatANodeIsReleased) {
  auto state = healthy();
  state.released = Released{.at = "2026-01-01T12:00:00Z", .by = "alice"};
  EXPECT_EQ(only_of(state).summary, "node spark1 is released");
  EXPECT_EQ(how_it_ended(only_of(state), healthy()), "the node is ready");
}

}  // namespace
}  // namespace spark::daemon
