#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/doctor/checks.hpp"
#include "unit/cli/doctor/asked.hpp"
#include "unit/node_here.hpp"

namespace spark::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// What the daemon has written, with that list of mutes.
void put_mutes(test::FakeHost& machine, const std::vector<state::Mute>& mutes) {
  auto state = test::ready_node();
  for (const auto& mute : mutes) state.mutes.push_back({.mute = mute});
  test::put_state(machine.files(), state);
}

TEST(MuteCheck, SaysNothingWhereNothingIsMuted) {
  test::FakeHost machine;
  EXPECT_THAT(asked(check_muted, machine), IsEmpty()) << "no daemon has reported";
  put_mutes(machine, {});
  EXPECT_THAT(asked(check_muted, machine), IsEmpty());
}

TEST(MuteCheck, NamesEachMuteInOneFinding) {
  test::FakeHost machine;
  put_mutes(machine, {{.id = "SR-ALERT-003",
                       .alert = "SparkDrift",
                       .until = test::moment_at("2026-01-31T11:00:00Z"),
                       .reason = "new cable"},
                      {.id = "SR-ALERT-023",
                       .alert = "SparkNodeSilent",
                       .node = "spark2",
                       .until = test::moment_at("2026-01-31T12:00:00Z"),
                       .reason = "repair"}});
  EXPECT_THAT(asked(check_muted, machine),
              ElementsAre(says("muted", Severity::kLook,
                               "nobody is told of SparkDrift (SR-ALERT-003) until "
                               "2026-01-31T11:00:00Z: new cable; SparkNodeSilent (SR-ALERT-023) of "
                               "spark2 until 2026-01-31T12:00:00Z: repair")));
}

}  // namespace
}  // namespace spark::cli
