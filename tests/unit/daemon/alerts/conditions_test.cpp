#include "daemon/alerts/conditions.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "node_state/problems.hpp"
#include "unit/daemon/alerts/alert_world.hpp"

namespace spark::daemon {
namespace {

using namespace std::chrono_literals;

TEST(Conditions, HaveTheRemedyThatThePageHas) {
  auto state = healthy();
  state.file.refused = state.file.refused_first = "line 2";
  state.refusals = {"address: it would cut the machine off [SR-GUARD-001]"};
  state.pass_error = "read links: No buffer space available";
  state.sinks = {{.name = "webhook", .error = "refused", .failures = 3}};
  state.drifts = {failed_mtu(at(5s))};
  state.drifts[0].state = Drift::State::kContested;
  state.gid_moves.push_back({.at = at(5s), .link = "l", .device = "d", .ip = "192.0.2.11"});
  const auto problems = problems_of(state, state.pass_at);
  for (const auto& alert : conditions(state)) {
    EXPECT_EQ(std::ranges::count(problems, alert.remedy,
                                 [](const auto& problem) { return problem.remedy.text; }),
              1)
        << alert.name;
  }
}

TEST(Conditions, AreNoneOnAHealthyNode) { EXPECT_EQ(names_of(healthy()), ""); }

TEST(Conditions, AreNoneBeforeAnythingIsKnown) { EXPECT_EQ(names_of(NodeState{}), ""); }

TEST(IsJudged, TakesNothingForOverThatWasNotLookedAt) {
  auto state = healthy();
  state.drifts = {failed_mtu(at(5s))};
  state.verdict = gate::Verdict::kNotReady;
  state.file.refused = "x";
  for (const auto& alert : conditions(state)) {
    EXPECT_FALSE(is_judged(alert, NodeState{})) << alert.name;
    EXPECT_TRUE(is_judged(alert, healthy())) << alert.name;
  }
}

TEST(IsJudged, TakesAnUnreadableResourceForUnknown) {
  auto state = healthy();
  state.drifts = {failed_mtu(at(5s))};
  const auto alert = only_of(state);
  state = healthy();
  state.skipped.push_back(
      {.kind = "mtu", .key = "enp1s0f0np0", .why = kinds::Skipped::Why::kUnknown});
  EXPECT_FALSE(is_judged(alert, state));
  state = healthy();
  state.pass_error = "read links: Operation not permitted";
  EXPECT_FALSE(is_judged(alert, state));
}

TEST(IsJudged, LeavesAnEventToItsTime) {
  auto state = healthy();
  state.gid_moves.push_back({.at = at(5s), .link = "l", .device = "d", .ip = "192.0.2.11"});
  const auto alert = only_of(state);
  EXPECT_TRUE(is_judged(alert, NodeState{}));
  EXPECT_EQ(how_it_ended(alert, NodeState{}), "its time is over");
}

TEST(HowItEnded, TellsACorrectionFromAChangedFile) {
  auto state = healthy();
  state.drifts = {failed_mtu(at(5s))};
  const auto alert = only_of(state);
  EXPECT_EQ(how_it_ended(alert, healthy()), "gone by itself");
  state = healthy();
  state.changes.push_back({.at = at(9s),
                           .cause = ChangeRecord::Cause::kDrift,
                           .kind = "mtu",
                           .key = "enp1s0f0np0",
                           .before = "1500",
                           .after = "9000"});
  EXPECT_EQ(how_it_ended(alert, state), "corrected to 9000");
  state.changes.clear();
  state.file.since = at(8s);
  EXPECT_EQ(how_it_ended(alert, state), "the file changed");
}

}  // namespace
}  // namespace spark::daemon
