#include "node_state/time_text.hpp"

#include <gtest/gtest.h>

#include "unit/daemon/states.hpp"

namespace spark::node_state {
namespace {

using namespace std::chrono_literals;

TEST(When, HasAnAgeByTheClockThatNobodySets) {
  auto since = daemon::ago(90s);
  since.wall += 24h;  // it was set back a day since
  EXPECT_EQ(age(since, daemon::test_now()), 90s);
}

TEST(When, HasAnAgeByTheWallIfItIsFromBeforeThisBoot) {
  auto since = daemon::ago(2h);
  since.boot = daemon::test_now().boot + 10h;  // of a boot that lasted longer
  EXPECT_EQ(age(since, daemon::test_now()), 2h);
  EXPECT_EQ(age(daemon::ago(-5s), daemon::test_now()), 0s);
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
}  // namespace spark::node_state
