#include "cli/muted_alerts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/daemon_status.hpp"
#include "fake/fake_host.hpp"
#include "protocol/paths.hpp"

namespace spark::cli {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;

const Moment kNow{.wall = std::chrono::sys_days{std::chrono::year{2026} / 1 / 31} + 10h,
                  .boot = 5min};

MutedAlert drift(const std::string& node = "") {
  return {.id = "SR-ALERT-003",
          .alert = "SparkDrift",
          .node = node.empty() ? std::nullopt : std::optional(node),
          .since = "2026-01-31T09:00:00Z",
          .until = "2026-01-31T12:05:00Z",
          .reason = "cabling",
          .by = "alice",
          .subjects = 1,
          .raised = 2};
}

TEST(MutedAlerts, AreListedWithWhatIsLeftAndWhy) {
  EXPECT_EQ(muted_list({}, kNow), "nothing is muted\n");
  EXPECT_EQ(muted_list({drift("spark2")}, kNow),
            "SparkDrift (SR-ALERT-003) of spark2: 2 h 5 min left, 2 raised, by alice: cabling\n");
  auto other = drift();
  other.raised = 0;
  other.by.reset();
  other.until = "soon";
  other.reason = "a\x1b[31mb";
  EXPECT_EQ(muted_list({other}, kNow),
            "SparkDrift (SR-ALERT-003): ? left, none raised: a\\x1b[31mb\n");
}

TEST(MutedAlerts, AreNamedInOneLine) {
  EXPECT_EQ(muted_brief({}), "");
  EXPECT_EQ(muted_brief({drift()}), "muted here: SparkDrift");
  EXPECT_EQ(muted_brief({drift(), drift("spark2"), drift("spark3")}),
            "muted here: SparkDrift and 2 more");
}

TEST(MutedAlerts, AreOverOnceTheirTimeIs) {
  EXPECT_EQ(left_of(drift(), kNow), 125min);
  EXPECT_EQ(left_of(drift(), later(kNow, 10h)), 0ms);
  EXPECT_EQ(to_json(drift(), kNow)["left_seconds"], 7500);
  EXPECT_EQ(to_json(drift(), kNow)["node"], nullptr);
}

TEST(MutedAlerts, StandInTheStatus) {
  EXPECT_EQ(muted_text({}), "");
  EXPECT_EQ(muted_text({drift()}),
            "  muted until 2026-01-31T12:05:00Z, 2 raised: SparkDrift (SR-ALERT-003): cabling\n"
            "  `spark-reconcile mute --end ID` ends a mute\n");
}

TEST(MutedAlerts, AreReadFromTheStatusOfTheDaemon) {
  test::FakeHost host;
  const std::string begin = R"({"verdict": "ready", "why": "", "generated_at": "T",
      "file": {"path": "f", "refused": null}, "paused": null, "drift": [])";
  host.files().put(protocol::kStatusFile, begin + "}");
  ASSERT_TRUE(read_last_status(host.files()).value()) << "of an earlier version";
  EXPECT_THAT(read_last_status(host.files()).value()->muted, IsEmpty());
  host.files().put(protocol::kStatusFile, begin + R"(, "muted": [{"id": "SR-ALERT-003",
      "alert": "SparkDrift", "node": null, "since": "S", "until": "U", "reason": "cabling",
      "by": null, "subjects": null, "raised": 0}]})");
  const auto word = read_last_status(host.files()).value();
  ASSERT_TRUE(word);
  EXPECT_THAT(daemon_text(*word), HasSubstr("  muted until U, none raised: SparkDrift"));
}

TEST(UtcTime, ReadsWhatIsWritten) {
  EXPECT_EQ(wall_from_utc(utc_text(kNow.wall)), kNow.wall);
  for (const auto* text : {"", "soon", "2026-01-31T10:00:00", "2026-01-31T10:00:00Z."}) {
    EXPECT_EQ(wall_from_utc(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace spark::cli
