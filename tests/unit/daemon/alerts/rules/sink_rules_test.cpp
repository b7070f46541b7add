#include <gtest/gtest.h>

#include "daemon/alerts/rules/rules.hpp"
#include "unit/daemon/alerts/alert_world.hpp"

namespace spark::daemon {
namespace {

TEST(Conditions, TellASinkThatFailedThreeTimes) {
  auto state = healthy();
  state.sinks.push_back({.name = "webhook http://127.0.0.1:1/", .error = "refused", .failures = 2});
  EXPECT_EQ(names_of(state), "");
  state.sinks[0].failures = 3;
  EXPECT_EQ(only_of(state).labels.at("sink"), "webhook http://127.0.0.1:1/");
}

TEST(IsJudged, TakesASinkForUnknownUntilItDelivers) {
  auto state = healthy();
  state.sinks.push_back({.name = "webhook http://127.0.0.1:1/", .error = "refused", .failures = 3});
  const auto alert = only_of(state);
  state.sinks[0].failures = 0;
  EXPECT_FALSE(is_judged(alert, state)) << "the daemon was started again";
  state.sinks[0].delivered = 1;
  EXPECT_TRUE(is_judged(alert, state));
  EXPECT_TRUE(is_judged(alert, healthy())) << "agent.yaml names it no longer";
  EXPECT_EQ(how_it_ended(alert, state), "it takes alerts again, or is named no longer");
}

}  // namespace
}  // namespace spark::daemon
