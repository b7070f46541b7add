#include "daemon/common/time_text.hpp"

#include <gtest/gtest.h>

#include "unit/daemon/states.hpp"

namespace spark::daemon {
namespace {

using namespace std::chrono_literals;

TEST(When, HasAnAgeByTheClockThatNobodySets) {
  auto since = ago(90s);
  since.wall += 24h;  // it was set back a day since
  EXPECT_EQ(age(since, test_now()), 90s);
}

TEST(When, HasAnAgeByTheWallIfItIsFromBeforeThisBoot) {
  auto since = ago(2h);
  since.boot = test_now().boot + 10h;  // of a boot that lasted longer
  EXPECT_EQ(age(since, test_now()), 2h);
  EXPECT_EQ(age(ago(-5s), test_now()), 0s);
}

TEST(When, SaysTheTwoLargestUnits) {
  EXPECT_EQ(duration_text(8ms), "8 ms");
  EXPECT_EQ(duration_text(59'999ms), "59 s");
  EXPECT_EQ(duration_text(60s), "1 min");
  EXPECT_EQ(duration_text(2h), "2 h");
  EXPECT_EQ(duration_text(2h + 5min + 59s), "2 h 5 min");
  EXPECT_EQ(duration_text(76h), "3 d 4 h");
}

}  // namespace
}  // namespace spark::daemon
