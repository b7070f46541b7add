#include "state/pause.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_host.hpp"

namespace spark::state {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;

class PauseTest : public testing::Test {
 protected:
  PauseTest() {
    boot("first");
    EXPECT_TRUE(write_pause(
        ports_,
        {.since = kStart, .until = later(kStart, hours(2)), .reason = "cabling", .by = "alice"}));
  }

  void boot(const std::string& id) { host_.sysctl().set("kernel.random.boot_id", id); }
  /// How long it still lasts; none: it is over.
  std::optional<milliseconds> left(const Moment& now) {
    const auto pause = read_pause(ports_, now);
    return pause ? std::optional(pause->until.boot - now.boot) : std::nullopt;
  }

  static constexpr hours kTenYears{10 * 365 * 24};
  const Moment kStart{.wall = std::chrono::sys_days{std::chrono::year{2026} / 1 / 31},
                      .boot = minutes(5)};
  test::FakeHost host_;
  host::Host ports_ = host_.host();
};

TEST_F(PauseTest, IsWrittenAsEarlierBuildsReadIt) {
  EXPECT_EQ(host_.files().read(protocol::kPauseFile).value(), R"({
  "boot_id": "first",
  "by": "alice",
  "reason": "cabling",
  "since_ms": 1769817600000,
  "until_boot_ms": 7500000,
  "until_ms": 1769824800000
}
)");
}

TEST_F(PauseTest, EndsInTimeAlsoWhereTheClockWasSetBackByTenYears) {
  const Moment hour_later{kStart.wall - kTenYears, kStart.boot + hours(1)};
  EXPECT_EQ(left(hour_later), hours(1));
  EXPECT_EQ(left(later(hour_later, hours(1))), std::nullopt);
}

TEST_F(PauseTest, LastsAlsoWhereTheClockWasSetForward) {
  EXPECT_EQ(left({kStart.wall + kTenYears, kStart.boot + hours(1)}), hours(1));
}

TEST_F(PauseTest, GoesOnByTheWallClockAfterAReboot) {
  boot("second");
  EXPECT_EQ(left({kStart.wall + hours(1), minutes(1)}), hours(1));
  EXPECT_EQ(left({kStart.wall + hours(2), minutes(1)}), std::nullopt);
}

TEST_F(PauseTest, IsNoLongerThanItWasMeantAfterARebootWithAWrongClock) {
  boot("second");
  EXPECT_EQ(left({kStart.wall - kTenYears, minutes(1)}), hours(2));
}

TEST_F(PauseTest, LastsAWeekAtMostWhateverTheFileSays) {
  host_.files().put(protocol::kPauseFile,
                    R"({"since_ms": 0, "until_ms": 99999999999999, "reason": "", "by": ""})");
  EXPECT_EQ(left({.wall = {}, .boot = minutes(1)}), kLongestPause);
}

TEST_F(PauseTest, AReasonOfAnotherHandIsCut) {
  host_.files().put(protocol::kPauseFile,
                    R"({"since_ms": 0, "until_ms": 3600000, "by": "", "reason": ")" +
                        std::string(120'000, 'x') + "\"}");
  const auto pause = read_pause(ports_, {.wall = {}, .boot = minutes(1)});
  ASSERT_TRUE(pause);
  EXPECT_LE(pause->reason.size(), kLongestReason + 8);
}

TEST_F(PauseTest, KeepsTheIdOfItsChange) {
  ASSERT_TRUE(write_pause(ports_, {.since = kStart,
                                   .until = later(kStart, hours(2)),
                                   .reason = "cabling",
                                   .by = "alice",
                                   .change_id = "CHG0031"}));
  EXPECT_EQ(read_pause(ports_, kStart)->change_id, "CHG0031");
}

}  // namespace
}  // namespace spark::state
