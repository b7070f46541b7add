#include <gtest/gtest.h>

#include "daemon/alerts/rules/rules.hpp"
#include "unit/daemon/alerts/alert_world.hpp"

namespace spark::daemon {
namespace {

using namespace std::chrono_literals;

TEST(Conditions, TellARefusedFile) {
  auto state = healthy();
  state.file.refused = "cluster.yaml:3:1: error: unknown key 'x' [SR-SPEC-004]\n";
  state.file.refused_first = "cluster.yaml:3:1: unknown key 'x'";
  state.file.refused_since = at(7s);
  EXPECT_EQ(only_of(state).summary, "the file was refused: cluster.yaml:3:1: unknown key 'x'");
}

TEST(Conditions, TellWhyNothingIsChangedOrSeen) {
  auto state = healthy();
  state.refusals = {"a", "b"};
  EXPECT_EQ(only_of(state).description, "a\nb");
  state.refusals.clear();
  state.pass_error = "read links: Operation not permitted";
  EXPECT_EQ(only_of(state).name, "SparkPassFailing");
}

TEST(Conditions, TellALossOfStateForThreeDays) {
  auto state = healthy();
  state.loss = StateLoss{.at = at(5s), .what = "'ledger.json' is gone"};
  const auto alert = only_of(state);
  EXPECT_EQ(alert.name, "SparkStateLost");
  EXPECT_EQ(alert.description, "'ledger.json' is gone");
  EXPECT_EQ(alert.until->boot, 72h + 5s);
}

TEST(HowItEnded, NamesTheFileThatWasAccepted) {
  auto state = healthy();
  state.file.refused = "x";
  EXPECT_EQ(how_it_ended(only_of(state), healthy()), "a file was accepted");
}

}  // namespace
}  // namespace spark::daemon
