#include "daemon/common/backoff.hpp"

#include <gtest/gtest.h>

namespace spark::daemon {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Pacing::Steady::time_point moment(milliseconds time) { return Pacing::Steady::time_point(time); }

TEST(PacingTest, LooksAtOnceAtFirst) { EXPECT_LE(Pacing().next(), moment(milliseconds(0))); }

TEST(PacingTest, RestsLongerAfterEachLookThatFoundNothing) {
  Pacing pacing;
  pacing.told(moment(seconds(10)));
  for (const auto rest : {5, 10, 20, 40, 80, 160, 320, 500, 500}) {
    pacing.looked(moment(seconds(10)), false);
    EXPECT_EQ(pacing.next(), moment(seconds(10) + milliseconds(rest)));
  }
}

TEST(PacingTest, RestsShortlyAgainOnceSomethingWasCorrected) {
  Pacing pacing;
  pacing.told(moment(seconds(10)));
  pacing.looked(moment(seconds(10)), false);
  pacing.looked(moment(seconds(10)), true);
  pacing.looked(moment(seconds(10)), false);
  EXPECT_EQ(pacing.next(), moment(seconds(10) + milliseconds(5)));
}

TEST(PacingTest, WhatComesAfterACalmTimeIsNews) {
  Pacing pacing;
  pacing.told(moment(seconds(10)));
  for (int i = 0; i < 9; ++i) {
    pacing.looked(moment(seconds(10)), false);
  }
  pacing.told(moment(seconds(12)));
  pacing.looked(moment(seconds(12)), false);
  EXPECT_EQ(pacing.next(), moment(seconds(12) + milliseconds(500)));  // not calm yet
  pacing.told(moment(milliseconds(14001)));
  pacing.looked(moment(milliseconds(14001)), false);
  EXPECT_EQ(pacing.next(), moment(milliseconds(14006)));
}

}  // namespace
}  // namespace spark::daemon
