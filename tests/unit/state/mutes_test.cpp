#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_host.hpp"
#include "protocol/paths.hpp"
#include "state/pause.hpp"

namespace spark::state {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class MutesTest : public testing::Test {
 protected:
  MutesTest() { boot("first"); }

  void boot(const std::string& id) { host_.sysctl().set("kernel.random.boot_id", id); }
  [[nodiscard]] Mute mute(const std::string& id, const std::string& node = "",
                          hours lasts = hours(2)) const {
    return {.id = id,
            .alert = "SparkDrift",
            .node = node,
            .since = kStart,
            .until = later(kStart, lasts),
            .reason = "cabling",
            .by = "alice",
            .asked = {}};
  }
  /// "SR-ALERT-003/spark2", of those that last.
  std::vector<std::string> names(const Moment& now) {
    std::vector<std::string> names;
    for (const auto& one : read_mutes(ports_, now).value_or(std::vector<Mute>{})) {
      names.push_back(one.id + "/" + one.node);
    }
    return names;
  }
  std::optional<milliseconds> left(const Moment& now) {
    const auto mutes = read_mutes(ports_, now);
    return mutes && !mutes->empty() ? std::optional(mutes->front().until.boot - now.boot)
                                    : std::nullopt;
  }

  const Moment kStart{.wall = std::chrono::sys_days{std::chrono::year{2026} / 1 / 31},
                      .boot = minutes(5)};
  test::FakeHost host_;
  host::Host ports_ = host_.host();
};

TEST_F(MutesTest, AreNoneWhereThereIsNoFile) { EXPECT_THAT(names(kStart), IsEmpty()); }

TEST_F(MutesTest, AreWrittenAsLaterVersionsReadThem) {
  ASSERT_TRUE(add_mute(ports_, mute("SR-ALERT-003", "spark2"), kStart));
  EXPECT_EQ(host_.files().read(protocol::kMutesFile).value(), R"({
  "mutes": [
    {
      "alert": "SparkDrift",
      "boot_id": "first",
      "by": "alice",
      "id": "SR-ALERT-003",
      "node": "spark2",
      "reason": "cabling",
      "since_ms": 1769817600000,
      "until_boot_ms": 7500000,
      "until_ms": 1769824800000
    }
  ],
  "schema": "spark-reconcile/mutes/v1"
}
)");
  const auto read = read_mutes(ports_, later(kStart, minutes(1)));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->front().reason, "cabling");
  EXPECT_EQ(read->front().by, "alice");
  EXPECT_EQ(read->front().asked, milliseconds(1769817600000));
  EXPECT_EQ(read->front().since.boot, kStart.boot);
}

TEST_F(MutesTest, HaveTheIdOfTheirChange) {
  auto asked = mute("SR-ALERT-003");
  asked.change_id = "CHG0031";
  ASSERT_TRUE(add_mute(ports_, asked, kStart));
  EXPECT_EQ(read_mutes(ports_, kStart)->front().change_id, "CHG0031");
}

TEST_F(MutesTest, EndByThemselves) {
  ASSERT_TRUE(add_mute(ports_, mute("SR-ALERT-003"), kStart));
  EXPECT_EQ(left(later(kStart, hours(1))), hours(1));
  EXPECT_EQ(left(later(kStart, hours(2))), std::nullopt);
}

TEST_F(MutesTest, EndInTimeWhateverTheWallClockSays) {
  ASSERT_TRUE(add_mute(ports_, mute("SR-ALERT-003"), kStart));
  constexpr hours kTenYears{10 * 365 * 24};
  EXPECT_EQ(left({kStart.wall - kTenYears, kStart.boot + hours(1)}), hours(1));
  EXPECT_EQ(left({kStart.wall - kTenYears, kStart.boot + hours(2)}), std::nullopt);
  boot("second");
  EXPECT_EQ(left({kStart.wall + hours(1), minutes(1)}), hours(1)) << "after a reboot";
  EXPECT_EQ(left({kStart.wall - kTenYears, minutes(1)}), hours(2)) << "no longer than it was meant";
}

TEST_F(MutesTest, LastAWeekAtMostWhateverTheFileSays) {
  ASSERT_TRUE(add_mute(ports_, mute("SR-ALERT-003", "", hours(10'000)), kStart));
  EXPECT_EQ(left(kStart), kLongestMute);
}

TEST_F(MutesTest, OfOneIdAndNodeTheLastOneCounts) {
  ASSERT_TRUE(add_mute(ports_, mute("SR-ALERT-003"), kStart));
  ASSERT_TRUE(add_mute(ports_, mute("SR-ALERT-003", "spark2"), kStart));
  ASSERT_TRUE(add_mute(ports_, mute("SR-ALERT-003", "", hours(5)), kStart));
  EXPECT_THAT(names(kStart), ElementsAre("SR-ALERT-003/spark2", "SR-ALERT-003/"));
  EXPECT_THAT(names(later(kStart, hours(3))), ElementsAre("SR-ALERT-003/"));
}

TEST_F(MutesTest, EndByHandOfOneNodeOrOfAll) {
  for (const auto* node : {"", "spark1", "spark2"}) {
    ASSERT_TRUE(add_mute(ports_, mute("SR-ALERT-003", node), kStart));
  }
  ASSERT_TRUE(add_mute(ports_, mute("SR-ALERT-001"), kStart));
  EXPECT_EQ(end_mutes(ports_, "SR-ALERT-003", "spark1", kStart), 1U);
  EXPECT_EQ(end_mutes(ports_, "SR-ALERT-003", "spark1", kStart), 0U);
  EXPECT_EQ(end_mutes(ports_, "SR-ALERT-003", "", kStart), 2U);
  EXPECT_THAT(names(kStart), ElementsAre("SR-ALERT-001/"));
  EXPECT_EQ(end_mutes(ports_, "SR-ALERT-001", "", kStart), 1U);
  EXPECT_FALSE(host_.files().read(protocol::kMutesFile).value()) << "an empty file is none";
}

TEST_F(MutesTest, AreBounded) {
  for (std::size_t i = 0; i < kMostMutes; ++i) {
    ASSERT_TRUE(add_mute(ports_, mute("SR-ALERT-003", "spark" + std::to_string(i)), kStart));
  }
  EXPECT_EQ(add_mute(ports_, mute("SR-ALERT-003"), kStart).error().code, ErrorCode::kBusy);
  EXPECT_TRUE(add_mute(ports_, mute("SR-ALERT-003", "spark0"), kStart)) << "in its own place";
  EXPECT_TRUE(add_mute(ports_, mute("SR-ALERT-003"), later(kStart, hours(2))))
      << "what is over makes room";
}

TEST_F(MutesTest, AFileOfAnotherHandIsBounded) {
  std::string mutes;
  for (int i = 0; i < 100; ++i) {
    mutes += std::string(i == 0 ? "" : ",") +
             R"({"id": "SR-ALERT-003", "alert": "SparkDrift", "node": "s)" + std::to_string(i) +
             R"(", "since_ms": 0, "until_ms": 3600000, "by": "", "reason": ")" +
             std::string(2000, 'x') + "\"}";
  }
  host_.files().put(protocol::kMutesFile,
                    R"({"schema": "spark-reconcile/mutes/v1", "mutes": [)" + mutes + "]}");
  const auto read = read_mutes(ports_, {.wall = {}, .boot = minutes(1)});
  ASSERT_TRUE(read);
  EXPECT_EQ(read->size(), kMostMutes);
  EXPECT_LE(read->front().reason.size(), kLongestReason + 8);
}

TEST_F(MutesTest, ADamagedFileMutesNothingAndIsReplaced) {
  for (const auto* text : {"", "{", "[]", R"({"schema": "spark-reconcile/mutes/v2", "mutes": []})",
                           R"({"schema": "spark-reconcile/mutes/v1", "mutes": [{"id": 7}]})"}) {
    host_.files().put(protocol::kMutesFile, text);
    const auto read = read_mutes(ports_, kStart);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, ErrorCode::kInvalid);
    EXPECT_THAT(read.error().what, HasSubstr("mutes nothing"));
    ASSERT_TRUE(add_mute(ports_, mute("SR-ALERT-003"), kStart));
    EXPECT_THAT(names(kStart), ElementsAre("SR-ALERT-003/"));
  }
}

}  // namespace
}  // namespace spark::state
