#include "cli/text/daemon_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/doctor/daemon_check.hpp"
#include "cli/state_here/node_here.hpp"
#include "fake/fake_host.hpp"
#include "node_state/problems.hpp"
#include "unit/node_here.hpp"

namespace spark::cli {
namespace {

using node_state::Drift;
using test::moment_at;

/// What `status` says of a daemon that knows that.
std::string text_of(const node_state::NodeState& state) {
  test::FakeHost machine;
  test::put_state(machine.files(), state);
  auto host = machine.host();
  return daemon_text(node_here(host)->value());
}

state::Paused paused(const std::string& reason) {
  return {.since = {}, .until = moment_at("2026-11-21T22:30:00Z"), .reason = reason, .by = ""};
}

TEST(DaemonText, OfAReadyNodeIsOneLine) {
  EXPECT_EQ(text_of(test::ready_node()),
            "daemon: ready: the node is proven; its peers answer over every rail (at "
            "2026-11-21T21:56:57Z)\n");
}

TEST(DaemonText, SaysWhatSomebodyAskedFor) {
  auto state = test::node_not_ready("mtu of eth0: 1500, the file says 9000");
  state.file.waits = true;
  state.paused = paused("new cables");
  EXPECT_EQ(text_of(state),
            "daemon: not ready: mtu of eth0: 1500, the file says 9000 (at 2026-11-21T21:56:57Z)\n"
            "  paused until 2026-11-21T22:30:00Z, new cables; `spark-reconcile resume` ends it\n"
            "  the file has changed; it would be applied after `spark-reconcile resume`\n");
}

TEST(DaemonText, NamesBothWaysOfAFileThatWaitsForAllNodes) {
  auto state = test::ready_node();
  state.file.waits_for_all = true;
  EXPECT_THAT(text_of(state),
              testing::EndsWith("  the file has changed and waits: `sudo spark-reconcile apply "
                                "--all` gives it to all nodes, `sudo spark-reconcile apply` to "
                                "this one alone\n"));
}

TEST(DaemonText, GivesTheTerminalNoOrdersOfOthers) {
  auto state = test::node_not_ready("by '\x1b[32m\n'");
  state.paused = paused("\x1b[2J");
  EXPECT_EQ(text_of(state),
            "daemon: not ready: by '\\x1b[32m\\x0a' (at 2026-11-21T21:56:57Z)\n"
            "  paused until 2026-11-21T22:30:00Z, \\x1b[2J; `spark-reconcile resume` ends it\n");
}

TEST(DoctorFindings, OfAContestHaveTheWholeRemedyOnOneLine) {
  auto state = test::ready_node();
  state.drifts = {
      {.kind = "mtu",
       .key = "eth1",
       .state = Drift::State::kContested,
       .why = "3 times",
       .remedy = "change F:5"},
      {.kind = "mtu", .key = "eth2", .state = Drift::State::kFailed, .why = "no rights"}};
  const auto findings = findings_of({.state = state, .at = {}, .hangs = {}, .why = {}});
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].what, "it leaves alone mtu eth1: contested: 3 times");
  EXPECT_EQ(findings[0].remedy, "change F:5; then `spark-reconcile resume` corrects it at once");
  EXPECT_EQ(findings[1].what, "it leaves alone mtu eth2: failed: no rights");
  EXPECT_EQ(findings[1].remedy, node_state::kRemedyOfFailure);
}

}  // namespace
}  // namespace spark::cli
