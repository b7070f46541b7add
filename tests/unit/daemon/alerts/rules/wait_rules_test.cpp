#include <gtest/gtest.h>

#include "daemon/alerts/rules/rules.hpp"
#include "unit/daemon/alerts/alert_world.hpp"

namespace spark::daemon {
namespace {

using namespace std::chrono_literals;

NodeState with_wait() {
  auto state = healthy();
  state.disturb_waits = {{.kind = "mtu",
                          .key = "enp1s0f0np0",
                          .have = "9000",
                          .want = "4000",
                          .since = at(1min),
                          .uses = {{.link = "enp1s0f0np0",
                                    .device = "rocep1s0f0",
                                    .rail = config::Rail{0, 0},
                                    .process_count = 1,
                                    .unknown = ""}}}};
  return state;
}

TEST(Conditions, TellOfAWaitOnlyWhereThePatienceIsOver) {
  auto state = with_wait();
  state.pass_at = at(121min);
  EXPECT_EQ(names_of(state), "") << "agent.yaml asks for no alert";
  state.disturb_patience = 2h;
  state.pass_at = at(120min);
  EXPECT_EQ(names_of(state), "");
  state.pass_at = at(121min);
  const auto alert = only_of(state);
  EXPECT_EQ(alert.name, "SparkDisturbWaits");
  EXPECT_EQ(alert.since.boot, 1min);
  EXPECT_EQ(alert.description,
            "mtu enp1s0f0np0: 9000 → 4000\na job uses rail 0 of cage 0 (enp1s0f0np0)");
  EXPECT_EQ(how_it_ended(alert, healthy()), "nothing waits any more");
}

}  // namespace
}  // namespace spark::daemon
