#include "host/rail_counters.hpp"

#include <gtest/gtest.h>

namespace spark::host {
namespace {

TEST(RailCountersGrow, ByTheDifference) {
  EXPECT_EQ(grown(10, 10), 0U);
  EXPECT_EQ(grown(10, 17), 7U);
  EXPECT_EQ(grown(1ULL << 40U, (1ULL << 40U) + 5), 5U);
}

TEST(RailCountersGrow, OverTheEndOf32Bits) {
  EXPECT_EQ(grown(0xFFFF'FFF0U, 0x10), 0x20U);
  EXPECT_EQ(grown(UINT32_MAX, 0), 1U);
}

TEST(RailCountersGrow, ByNothingKnownWhereADeviceCameBack) {
  EXPECT_FALSE(grown(1000, 5)) << "its counters began again";
  EXPECT_FALSE(grown(1ULL << 40U, 5)) << "no counter of 64 bits gets to its end";
}

TEST(RailCountersGrow, ByNothingKnownWhereACounterStaysAtItsLargest) {
  EXPECT_FALSE(grown(UINT32_MAX, UINT32_MAX));
}

}  // namespace
}  // namespace spark::host
