#include "daemon/export/metrics.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "unit/daemon/states.hpp"

namespace spark::daemon {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string metrics_of(const std::string& name) {
  return metrics_text(test_states().at(name), test_now());
}

std::vector<std::string_view> series_of(std::string_view text) {
  auto lines = lines_of(text);
  std::erase_if(lines, [](std::string_view line) { return line.empty() || line[0] == '#'; });
  return lines;
}

TEST(Metrics, StayBelowTheirLimitWhateverTheNodeIsLike) {
  for (const auto& [name, state] : test_states()) {
    const auto text = metrics_text(state, test_now());
    // Prometheus adds about five of its own to each target.
    EXPECT_LT(series_of(text).size(), kMostSeries - 5) << name;
  }
}

TEST(Metrics, SayEachSeriesOnce) {
  for (const auto& [name, state] : test_states()) {
    const auto text = metrics_text(state, test_now());
    std::set<std::string_view> seen;
    for (const auto line : series_of(text)) {
      EXPECT_TRUE(seen.insert(line.substr(0, line.rfind(' '))).second) << name << ": " << line;
    }
  }
}

TEST(Metrics, TellTheVerdict) {
  EXPECT_THAT(metrics_of("ready"), HasSubstr("spark_reconcile_verdict{verdict=\"ready\"} 1\n"));
  const auto text = metrics_of("contested");
  EXPECT_THAT(text, HasSubstr("spark_reconcile_verdict{verdict=\"ready\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("spark_reconcile_verdict{verdict=\"not_ready\"} 1\n"));
}

TEST(Metrics, TellAFactThatIsUnknownFromOneThatDoesNotHold) {
  const auto text = metrics_of("contested");
  EXPECT_THAT(text, HasSubstr("spark_reconcile_gate_fact_holds{link=\"enp1s0f0np0\","
                              "ip=\"192.0.2.11\",id=\"SR-GATE-005\",fact=\"gid\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("spark_reconcile_gate_fact_holds{link=\"enP2p1s0f0np0\","
                              "ip=\"192.0.2.27\",id=\"SR-GATE-005\",fact=\"gid\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("spark_reconcile_gate_fact_holds{link=\"enP2p1s0f1np1\","
                              "ip=\"192.0.2.59\",id=\"SR-GATE-011\",fact=\"peers\"} NaN\n"));
}

TEST(Metrics, KeepTheFactsThatDoNotHoldWhenTheyAreTooMany) {
  const auto text = metrics_of("huge");
  EXPECT_THAT(text, HasSubstr("id=\"SR-GATE-002\",fact=\"mtu\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("fact=\"mount\"} NaN\n"));
  EXPECT_THAT(text, Not(HasSubstr("spark_reconcile_gate_facts_left_out 0\n")));
}

TEST(Metrics, CountTheProcessesThatAChangeWaitsFor) {
  const auto text = metrics_of("contested");
  EXPECT_THAT(text, HasSubstr("spark_reconcile_disturb_waits 1\n"));
  EXPECT_THAT(text, HasSubstr("spark_reconcile_disturb_waits_overdue 1\n"));
  EXPECT_THAT(text, HasSubstr("spark_reconcile_disturb_wait_processes{link=\"enp1s0f1np1\","
                              "device=\"rocep1s0f1\"} 2\n"));
  const auto none = metrics_of("ready");
  EXPECT_THAT(none, HasSubstr("spark_reconcile_disturb_waits 0\n"));
  EXPECT_THAT(none, HasSubstr("spark_reconcile_disturb_wait_timestamp_seconds 0\n"));
  EXPECT_THAT(none, HasSubstr("spark_reconcile_disturb_waits_overdue 0\n"));
}

TEST(Metrics, SayARailOnceForWhichSeveralChangesWait) {
  auto state = test_states().at("contested");
  state.disturb_waits.push_back(state.disturb_waits.front());
  const auto text = metrics_text(state, test_now());
  const auto first = text.find("spark_reconcile_disturb_wait_processes{");
  EXPECT_EQ(text.find("spark_reconcile_disturb_wait_processes{", first + 1), text.npos);
}

TEST(Metrics, CountNoProcessesWhereNobodyKnowsWhoUsesTheRail) {
  auto state = test_states().at("contested");
  auto& use = state.disturb_waits.front().uses.front();
  use.process_count = 0;
  use.unknown = "Operation not permitted";
  EXPECT_THAT(metrics_text(state, test_now()),
              Not(HasSubstr("spark_reconcile_disturb_wait_processes{")));
}

TEST(Metrics, HaveEveryKindFromTheStart) {
  const auto text = metrics_of("nothing");
  for (const auto* kind : {"other_managers", "mtu", "environment"}) {
    const auto label = fmt::format("{{kind=\"{}\"}} 0\n", kind);
    EXPECT_THAT(text, HasSubstr("spark_reconcile_corrections_total" + label));
    EXPECT_THAT(text, HasSubstr("spark_reconcile_correction_failures_total" + label));
  }
  EXPECT_THAT(text, HasSubstr("resources_drifted{kind=\"mtu\",state=\"contested\"} 0\n"));
}

TEST(Metrics, CountDriftByKindAndState) {
  const auto text = metrics_of("contested");
  EXPECT_THAT(text, HasSubstr("resources_drifted{kind=\"mtu\",state=\"contested\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("resources_drifted{kind=\"address\",state=\"failed\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("resources_skipped{why=\"pending\"} 1\n"));
}

TEST(Metrics, EscapeWhatComesFromOutside) {
  const auto text = metrics_of("hostile");
  EXPECT_THAT(text, HasSubstr("link=\"\\\"'><script>alert(1)</script>&amp;\\\\\\\\x0a"));
  for (const auto line : series_of(text)) {
    EXPECT_TRUE(line.starts_with("spark_reconcile_")) << line;
  }
}

TEST(Metrics, AreInBaseUnits) {
  const auto text = metrics_of("ready");
  EXPECT_THAT(text, HasSubstr("link_speed_bytes_per_second{link=\"enp1s0f0np0\"} 25000000000\n"));
  EXPECT_THAT(text, HasSubstr("last_pass_duration_seconds 0.008\n"));
  EXPECT_THAT(text, HasSubstr("link_speed_bytes_per_second{link=\"enp1s0f1np1\"} NaN\n"));
}

TEST(Metrics, TellOfASinkThatFails) {
  EXPECT_THAT(
      metrics_of("contested"),
      HasSubstr("alert_sink_failed_tries{sink=\"alertmanager http://127.0.0.1:9093\"} 3\n"));
}

TEST(Metrics, TellSinceWhenStateIsLost) {
  EXPECT_THAT(metrics_of("ready"), HasSubstr("spark_reconcile_state_loss_timestamp_seconds 0\n"));
  auto state = test_states().at("ready");
  state.loss = StateLoss{test_now(), "removed by somebody else"};
  EXPECT_THAT(metrics_text(state, test_now()),
              HasSubstr("spark_reconcile_state_loss_timestamp_seconds 1933135628\n"));
}

TEST(Metrics, TellWhatTheRailsOfJobsCarry) {
  const auto text = metrics_of("contested");
  EXPECT_THAT(text, HasSubstr("spark_reconcile_job_running 1\n"));
  EXPECT_THAT(text, HasSubstr("spark_reconcile_job_bytes_total{link=\"enP2p1s0f0np0\",cage=\"0\","
                              "rail=\"1\"} 1210000000000\n"));
  EXPECT_THAT(text, HasSubstr("spark_reconcile_job_rail_bytes_per_second{link=\"enp1s0f0np0\","
                              "cage=\"0\",rail=\"0\",direction=\"sent\"} 11725000000\n"));
  EXPECT_THAT(text, HasSubstr("spark_reconcile_job_finding{id=\"SR-JOB-001\","
                              "link=\"enp1s0f0np0\"} 1\n"));
  EXPECT_THAT(metrics_of("ready"), Not(HasSubstr("spark_reconcile_job_running 0\n")))
      << "nobody has looked";
}

TEST(Metrics, TellWhatIsProvenOfThePeers) {
  const auto proven = [](std::string_view link, std::string_view rail, std::string_view how,
                         std::string_view value) {
    return HasSubstr(
        fmt::format("spark_reconcile_peer_rail_proven{{peer=\"spark3\",link=\"{}\",cage=\"1\","
                    "rail=\"{}\",how=\"{}\"}} {}\n",
                    link, rail, how, value));
  };
  auto state = test_states().at("contested");
  state.around.rails[2].rdma.reset();
  const auto text = metrics_text(state, test_now());
  EXPECT_THAT(text, proven("enp1s0f1np1", "0", "echo", "1"));
  EXPECT_THAT(text, proven("enp1s0f1np1", "0", "rdma", "NaN"));
  EXPECT_THAT(text, proven("enP2p1s0f1np1", "1", "echo", "0"));
  EXPECT_THAT(text, proven("enP2p1s0f1np1", "1", "rdma", "0"));
  EXPECT_THAT(text, HasSubstr("spark_reconcile_cluster_nodes 3\n"));
  EXPECT_THAT(text, HasSubstr("spark_reconcile_peer_rails_left_out 0\n"));
  EXPECT_THAT(text, HasSubstr("spark_reconcile_bench_bytes_per_second{peer=\"spark3\","
                              "link=\"enp1s0f1np1\",operation=\"write\",direction=\"to\"} "
                              "3900000000\n"));
}

TEST(Metrics, TellWhenAPeerWasHeard) {
  auto state = test_states().at("ready");
  EXPECT_THAT(
      metrics_text(state, test_now()),
      HasSubstr("spark_reconcile_peer_heard_timestamp_seconds{peer=\"spark2\"} 1933135580\n"));
  state.around.heard[0].at = {};
  EXPECT_THAT(metrics_text(state, test_now()),
              HasSubstr("spark_reconcile_peer_heard_timestamp_seconds{peer=\"spark2\"} 0\n"));
}

TEST(Metrics, KeepTheRailsThatAreNotProvenWhenTheyAreTooMany) {
  auto state = test_states().at("huge");
  state.around.rails.back().rdma = false;
  state.around.heard.back().at = {};
  const auto text = metrics_text(state, test_now());
  EXPECT_THAT(text, HasSubstr("rail=\"59\",how=\"rdma\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("peer_heard_timestamp_seconds{peer=\"peer59\"} 0\n"));
  EXPECT_THAT(text, Not(HasSubstr("spark_reconcile_peer_rails_left_out 0\n")));
}

TEST(Metrics, KeepASinkThatFailsWhenTheyAreTooMany) {
  auto state = test_states().at("ready");
  state.sinks = {{.name = "journal"}, {.name = "a"}, {.name = "b"}, {.name = "c", .failures = 7}};
  const auto text = metrics_text(state, test_now());
  EXPECT_THAT(text, HasSubstr("alert_sink_failed_tries{sink=\"c\"} 7\n"));
  EXPECT_THAT(text, Not(HasSubstr("alerts_dropped_total{sink=\"c\"}")));
}

}  // namespace
}  // namespace spark::daemon
