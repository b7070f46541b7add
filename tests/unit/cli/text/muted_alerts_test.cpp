#include "cli/text/muted_alerts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/state_here/node_here.hpp"
#include "cli/text/daemon_text.hpp"
#include "fake/fake_host.hpp"
#include "unit/node_here.hpp"

namespace spark::cli {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

const Moment kNow{.wall = std::chrono::sys_days{std::chrono::year{2026} / 1 / 31} + 10h,
                  .boot = 5min};

node_state::MuteRecord drift(const std::string& node = "") {
  return {.mute = {.id = "SR-ALERT-003",
                   .alert = "SparkDrift",
                   .node = node,
                   .since = test::moment_at("2026-01-31T09:00:00Z"),
                   .until = test::moment_at("2026-01-31T12:05:00Z"),
                   .reason = "cabling",
                   .by = "alice",
                   .asked = {}},
          .subjects = 1,
          .raised = 2};
}

TEST(MutedAlerts, AreListedWithWhatIsLeftAndWhy) {
  EXPECT_EQ(muted_list({}, kNow), "nothing is muted\n");
  EXPECT_EQ(muted_list({drift("spark2")}, kNow),
            "SparkDrift (SR-ALERT-003) of spark2: 2 h 5 min left, 2 raised, by alice: cabling\n");
  auto other = drift();
  other.raised = 0;
  other.mute.by.clear();
  other.mute.reason = "a\x1b[31mb";
  EXPECT_EQ(muted_list({other}, kNow),
            "SparkDrift (SR-ALERT-003): 2 h 5 min left, none raised: a\\x1b[31mb\n");
}

TEST(MutedAlerts, AreNamedInOneLine) {
  EXPECT_EQ(muted_brief({}), "");
  EXPECT_EQ(muted_brief({drift()}), "muted here: SparkDrift");
  EXPECT_EQ(muted_brief({drift(), drift("spark2"), drift("spark3")}),
            "muted here: SparkDrift and 2 more");
}

TEST(MutedAlerts, AreOverOnceTheirTimeIs) {
  EXPECT_EQ(left_of(drift().mute, kNow), 125min);
  EXPECT_EQ(left_of(drift().mute, later(kNow, 10h)), 0ms);
  EXPECT_EQ(mute_json(drift(), kNow)["left_seconds"], 7500);
  EXPECT_EQ(mute_json(drift(), kNow)["node"], nullptr);
}

TEST(MutedAlerts, StandInTheStatus) {
  EXPECT_EQ(muted_text({}), "");
  EXPECT_EQ(muted_text({drift()}),
            "  muted until 2026-01-31T12:05:00Z, 2 raised: SparkDrift (SR-ALERT-003): cabling\n"
            "  `spark-reconcile mute --end ID` ends a mute\n");
}

TEST(MutedAlerts, AreReadFromWhatTheDaemonWrote) {
  test::FakeHost machine;
  auto state = test::ready_node();
  state.mutes = {drift()};
  test::put_state(machine.files(), state);
  auto host = machine.host();
  const auto here = node_here(host).value();
  ASSERT_TRUE(here);
  EXPECT_THAT(daemon_text(*here),
              HasSubstr("  muted until 2026-01-31T12:05:00Z, 2 raised: SparkDrift"));
}

TEST(UtcTime, ReadsWhatIsWritten) {
  EXPECT_EQ(wall_from_utc(utc_text(kNow.wall)), kNow.wall);
  for (const auto* text : {"", "soon", "2026-01-31T10:00:00", "2026-01-31T10:00:00Z."}) {
    EXPECT_EQ(wall_from_utc(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace spark::cli
