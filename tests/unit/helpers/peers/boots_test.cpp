#include <string>

#include <gtest/gtest.h>

#include "helpers/peers/heard.hpp"

namespace spark::helpers {
namespace {

using std::chrono::seconds;

constexpr const char* kBootRail = "enp1s0f0np0";

protocol::HeardHello from_boot(const std::string& boot, Boots::Time now = seconds(1)) {
  return {.link = kBootRail,
          .mac = "02:00:00:00:00:02",
          .hello = {.cluster = "lab", .node = "spark2", .boot = boot},
          .heard_ms = now.count()};
}

TEST(Boots, AHelloWaitsUntilItsNodeWasAsked) {
  Boots boots;
  EXPECT_FALSE(boots.knows(from_boot("one")));
  EXPECT_TRUE(boots.is_waiting(kBootRail, "spark2"));
  boots.asked("spark2");
  const auto right = boots.answered("spark2", "one");
  ASSERT_EQ(right.size(), 1U);
  EXPECT_EQ(right[0], from_boot("one"));
  EXPECT_FALSE(boots.is_waiting(kBootRail, "spark2"));
  EXPECT_TRUE(boots.knows(from_boot("one")));
}

TEST(Boots, AHelloOfAnotherBootIsDroppedAndNotTakenAgain) {
  Boots boots;
  boots.answered("spark2", "one");
  EXPECT_FALSE(boots.knows(from_boot("old")));
  boots.asked("spark2");
  EXPECT_TRUE(boots.answered("spark2", "one").empty());
  EXPECT_FALSE(boots.is_waiting(kBootRail, "spark2"));
  EXPECT_FALSE(boots.knows(from_boot("old")));
  EXPECT_FALSE(boots.is_waiting(kBootRail, "spark2")) << "it is not asked about again";
  EXPECT_TRUE(boots.knows(from_boot("one")));
}

TEST(Boots, ANodeThatStartedAgainIsTaken) {
  Boots boots;
  boots.answered("spark2", "one");
  EXPECT_FALSE(boots.knows(from_boot("two")));
  boots.asked("spark2");
  EXPECT_EQ(boots.answered("spark2", "two").size(), 1U);
  EXPECT_TRUE(boots.knows(from_boot("two")));
  EXPECT_FALSE(boots.knows(from_boot("one"))) << "the one before is a replay from now on";
}

TEST(Boots, AnAnswerThatWasAskedForBeforeSaysNothing) {
  Boots boots;
  boots.asked("spark2");
  EXPECT_FALSE(boots.knows(from_boot("two")));
  EXPECT_TRUE(boots.answered("spark2", "one").empty());
  EXPECT_TRUE(boots.is_waiting(kBootRail, "spark2")) << "it may have started again since";
  boots.asked("spark2");
  EXPECT_FALSE(boots.knows(from_boot("three"))) << "and again";
  EXPECT_TRUE(boots.answered("spark2", "two").empty());
  EXPECT_TRUE(boots.is_waiting(kBootRail, "spark2"));
}

TEST(Boots, NodesAndRailsWaitForThemselves) {
  Boots boots;
  auto on_other_rail = from_boot("one");
  on_other_rail.link = "enP2p1s0f0np0";
  auto other_node = from_boot("one");
  other_node.hello.node = "spark3";
  for (const auto& heard : {from_boot("one"), on_other_rail, other_node}) {
    EXPECT_FALSE(boots.knows(heard));
  }
  boots.asked("spark2");
  EXPECT_EQ(boots.answered("spark2", "one").size(), 2U);
  EXPECT_TRUE(boots.is_waiting(kBootRail, "spark3"));
}

TEST(Boots, WhatWaitsAndIsNotHeardAgainIsForgotten) {
  Boots boots;
  EXPECT_FALSE(boots.knows(from_boot("one", seconds(5))));
  boots.forget_silent(seconds(5) + kSilentAfter - seconds(1));
  EXPECT_TRUE(boots.is_waiting(kBootRail, "spark2"));
  boots.forget_silent(seconds(5) + kSilentAfter);
  EXPECT_FALSE(boots.is_waiting(kBootRail, "spark2"));
}

TEST(Boots, WrongOnesAreBounded) {
  Boots boots;
  boots.answered("spark2", "now");
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(boots.knows(from_boot(std::to_string(i))));
    boots.asked("spark2");
    boots.answered("spark2", "now");
  }
  EXPECT_FALSE(boots.knows(from_boot("99")));
  EXPECT_FALSE(boots.is_waiting(kBootRail, "spark2"));
  EXPECT_FALSE(boots.knows(from_boot("0")));
  EXPECT_TRUE(boots.is_waiting(kBootRail, "spark2"))
      << "one that was forgotten is asked about again";
}

}  // namespace
}  // namespace spark::helpers
