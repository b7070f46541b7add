#include "helpers/peers/heard.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace spark::helpers {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kRail = "enp1s0f0np0";
constexpr const char* kPeerMac = "02:00:00:00:00:02";

protocol::Hello hello_of(const std::string& node, std::uint64_t sequence) {
  return {.cluster = "lab",
          .node = node,
          .cage = 0,
          .rail = 0,
          .boot = "first",
          .sequence = sequence,
          .verdict = "ready",
          .mtu = 9000};
}

bool take(Heard& heard, const protocol::Hello& hello, Heard::Time now, bool is_expected = true) {
  return heard.take(kRail, kPeerMac, hello, is_expected, now);
}

TEST(Heard, TheFirstHelloIsNewsAndTheSameAgainIsNot) {
  Heard heard;
  EXPECT_TRUE(take(heard, hello_of("spark2", 1), seconds(1)));
  EXPECT_FALSE(take(heard, hello_of("spark2", 2), seconds(6)));
  const auto* hello = heard.find(kRail, "spark2", 0);
  ASSERT_NE(hello, nullptr);
  EXPECT_EQ(hello->hello.sequence, 2U);
  EXPECT_EQ(hello->heard_ms, 6000);
}

TEST(Heard, WhatChangesIsNews) {
  Heard heard;
  take(heard, hello_of("spark2", 1), seconds(1));
  auto hello = hello_of("spark2", 2);
  hello.mtu = 1500;
  EXPECT_TRUE(take(heard, hello, seconds(2)));
  hello.sequence = 3;
  hello.details = "0011";
  EXPECT_TRUE(take(heard, hello, seconds(3)));
  hello.sequence = 4;
  EXPECT_TRUE(heard.take(kRail, "02:00:00:00:00:03", hello, true, seconds(4))) << "another card";
  hello.sequence = 5;
  hello.boot = "second";
  EXPECT_TRUE(heard.take(kRail, "02:00:00:00:00:03", hello, true, seconds(5))) << "a reboot";
}

TEST(Heard, TheFirstHelloSinceAnotherNodeCameTellsThatBothAreThere) {
  Heard heard;
  take(heard, hello_of("spark2", 1), seconds(1));
  EXPECT_FALSE(heard.is_first_beside_another(kRail, hello_of("spark2", 2))) << "nobody else";
  take(heard, hello_of("spark3", 1), seconds(3));
  EXPECT_TRUE(heard.is_first_beside_another(kRail, hello_of("spark2", 2)));
  EXPECT_FALSE(heard.is_first_beside_another("enp1s0f1np1", hello_of("spark2", 2)));
  take(heard, hello_of("spark2", 2), seconds(6));
  EXPECT_FALSE(heard.is_first_beside_another(kRail, hello_of("spark2", 3))) << "known already";
  EXPECT_FALSE(heard.is_first_beside_another(kRail, hello_of("spark3", 2)));
}

TEST(Heard, KnowsSinceWhenAVerdictHasHeld) {
  Heard heard;
  const auto since = [&] { return heard.find(kRail, "spark2", 0)->since_ms; };
  take(heard, hello_of("spark2", 1), seconds(1));
  take(heard, hello_of("spark2", 2), seconds(6));
  EXPECT_EQ(since(), 1000);
  auto hello = hello_of("spark2", 3);
  hello.verdict = "not ready";
  take(heard, hello, seconds(11));
  EXPECT_EQ(since(), 11000);
  heard.mark_silent(seconds(60));
  hello.sequence = 4;
  take(heard, hello, seconds(70));
  EXPECT_EQ(since(), 70000) << "what it was while it was silent, nobody knows";
}

TEST(Heard, AReplayCountsForNothing) {
  Heard heard;
  take(heard, hello_of("spark2", 7), seconds(1));
  auto replay = hello_of("spark2", 7);
  replay.verdict = "not ready";
  EXPECT_FALSE(take(heard, replay, seconds(9)));
  replay.sequence = 3;
  EXPECT_FALSE(take(heard, replay, seconds(9)));
  const auto* known = heard.find(kRail, "spark2", 0);
  EXPECT_EQ(known->hello.verdict, "ready");
  EXPECT_EQ(known->heard_ms, 1000) << "a replay does not keep a node from becoming silent";
}

TEST(Heard, AForgedHelloKeepsTheNodesOwnOutOnlyUntilItIsSilent) {
  Heard heard;
  EXPECT_TRUE(take(heard, hello_of("spark2", 7), seconds(1)));
  auto forged = hello_of("spark2", 1'000'000);
  forged.boot = "f0f0";
  EXPECT_TRUE(take(heard, forged, seconds(2)));
  EXPECT_FALSE(take(heard, hello_of("spark2", 8), seconds(6)));
  EXPECT_TRUE(heard.mark_silent(seconds(2) + kSilentAfter));
  EXPECT_TRUE(take(heard, hello_of("spark2", 9), seconds(2) + kSilentAfter));
}

TEST(Heard, AHelloOfAnEarlierBootIsAReplay) {
  Heard heard;
  take(heard, hello_of("spark2", 100), seconds(1));
  auto rebooted = hello_of("spark2", 5);
  rebooted.boot = "second";
  EXPECT_TRUE(take(heard, rebooted, seconds(2))) << "a sequence counts within one boot";
  EXPECT_FALSE(take(heard, hello_of("spark2", 101), seconds(3)));
  EXPECT_EQ(heard.find(kRail, "spark2", 0)->hello.boot, "second");
}

TEST(Heard, WithAKeyASilentNodeIsNotBelievedByAReplay) {
  Heard heard;
  const auto take_proven = [&](const protocol::Hello& hello, Heard::Time now) {
    return heard.take(kRail, kPeerMac, hello, true, now, true);
  };
  EXPECT_TRUE(take_proven(hello_of("spark2", 7), seconds(1)));
  EXPECT_TRUE(heard.mark_silent(seconds(100)));
  EXPECT_FALSE(take_proven(hello_of("spark2", 7), seconds(101)));
  EXPECT_FALSE(take_proven(hello_of("spark2", 3), seconds(101)));
  EXPECT_TRUE(heard.find(kRail, "spark2", 0)->is_silent);
  EXPECT_TRUE(take_proven(hello_of("spark2", 8), seconds(102)));
}

TEST(Heard, WhatIsRefusedIsCountedAndToldWhileTheNodeIsNotHeard) {
  using protocol::KeyFault;
  Heard heard;
  EXPECT_TRUE(heard.refuse(kRail, kPeerMac, "spark2", KeyFault::kAnother, seconds(1)));
  EXPECT_FALSE(heard.refuse(kRail, kPeerMac, "spark2", KeyFault::kAnother, seconds(2)));
  ASSERT_NE(heard.refused(kRail, "spark2"), nullptr);
  EXPECT_EQ(*heard.refused(kRail, "spark2"), (protocol::RefusedHello{.link = kRail,
                                                                     .node = "spark2",
                                                                     .mac = kPeerMac,
                                                                     .fault = KeyFault::kAnother,
                                                                     .count = 2,
                                                                     .heard_ms = 2000}));
  EXPECT_TRUE(heard.refuse(kRail, kPeerMac, "spark2", KeyFault::kMissing, seconds(3)));
  EXPECT_EQ(heard.all_refused().size(), 1U);

  take(heard, hello_of("spark2", 1), seconds(4));
  EXPECT_EQ(heard.refused(kRail, "spark2"), nullptr) << "the node itself is heard";
  EXPECT_TRUE(heard.all_refused().empty());
  EXPECT_FALSE(heard.refuse(kRail, kPeerMac, "spark2", KeyFault::kAnother, seconds(19)));
  EXPECT_TRUE(heard.mark_silent(seconds(20)));
  EXPECT_NE(heard.refused(kRail, "spark2"), nullptr);
  EXPECT_EQ(heard.next_silence(), seconds(35));
  EXPECT_TRUE(heard.mark_silent(seconds(35)));
  EXPECT_EQ(heard.refused(kRail, "spark2"), nullptr) << "it is over";
}

TEST(Heard, WhatIsRefusedIsBounded) {
  Heard heard;
  for (std::size_t i = 0; i < 2 * Heard::kMostRefused; ++i) {
    heard.refuse(kRail, kPeerMac, "spark" + std::to_string(i), protocol::KeyFault::kAnother,
                 seconds(1));
  }
  EXPECT_EQ(heard.all_refused().size(), Heard::kMostRefused);
  heard.keep_links({});
  EXPECT_TRUE(heard.all_refused().empty());
}

TEST(Heard, SixteenSecondsWithoutAHelloAreASilence) {
  Heard heard;
  take(heard, hello_of("spark2", 1), seconds(10));
  EXPECT_EQ(heard.next_silence(), seconds(26));
  EXPECT_FALSE(heard.mark_silent(milliseconds(25'999)));
  EXPECT_FALSE(heard.find(kRail, "spark2", 0)->is_silent);
  EXPECT_TRUE(heard.mark_silent(seconds(26)));
  EXPECT_TRUE(heard.find(kRail, "spark2", 0)->is_silent);
  EXPECT_FALSE(heard.mark_silent(seconds(27))) << "reported once";
  EXPECT_EQ(heard.next_silence(), std::nullopt);
}

TEST(Heard, AHelloEndsASilence) {
  Heard heard;
  take(heard, hello_of("spark2", 1), seconds(10));
  heard.mark_silent(seconds(26));
  EXPECT_TRUE(take(heard, hello_of("spark2", 2), seconds(30)));
  EXPECT_FALSE(heard.find(kRail, "spark2", 0)->is_silent);
  EXPECT_EQ(heard.next_silence(), seconds(46));
}

TEST(Heard, TheNextSilenceIsThatOfTheOneHeardLongestAgo) {
  Heard heard;
  take(heard, hello_of("spark2", 1), seconds(10));
  take(heard, hello_of("spark3", 1), seconds(12));
  EXPECT_EQ(heard.next_silence(), seconds(26));
  take(heard, hello_of("spark2", 2), seconds(15));
  EXPECT_EQ(heard.next_silence(), seconds(28));
}

TEST(Heard, StrangersAreBoundedAndDisplaceNobody) {
  Heard heard;
  take(heard, hello_of("spark2", 1), seconds(1));
  for (std::size_t i = 0; i < 100; ++i) {
    const bool is_news =
        take(heard, hello_of("stranger" + std::to_string(i), 1), seconds(2), false);
    EXPECT_EQ(is_news, i < Heard::kMostStrangers) << i;
  }
  EXPECT_EQ(heard.all().size(), 1 + Heard::kMostStrangers);
  EXPECT_NE(heard.find(kRail, "stranger0", 0), nullptr) << "a later one takes no place";
  EXPECT_TRUE(take(heard, hello_of("spark3", 1), seconds(3))) << "who is expected has a place";
  EXPECT_NE(heard.find(kRail, "spark2", 0), nullptr);
}

TEST(Heard, AStrangerThatFellSilentLeavesItsPlace) {
  Heard heard;
  take(heard, hello_of("spark2", 1), seconds(1));
  for (std::size_t i = 0; i < Heard::kMostStrangers; ++i) {
    take(heard, hello_of("stranger" + std::to_string(i), 1), seconds(1), false);
  }
  EXPECT_TRUE(heard.mark_silent(seconds(17)));
  EXPECT_EQ(heard.all().size(), 1U) << "who is expected stays, as silent";
  EXPECT_TRUE(take(heard, hello_of("another", 1), seconds(18), false));
}

TEST(Heard, WhatWasHeardOnALinkThatIsNoRailAnyMoreIsForgotten) {
  Heard heard;
  take(heard, hello_of("spark2", 1), seconds(1));
  heard.take("enP2p1s0f0np0", kPeerMac, hello_of("spark2", 1), true, seconds(1));
  heard.keep_links({"enP2p1s0f0np0"});
  EXPECT_EQ(heard.find(kRail, "spark2", 0), nullptr);
  EXPECT_NE(heard.find("enP2p1s0f0np0", "spark2", 0), nullptr);
}

TEST(Heard, FindsTheCageThatWasHeardLast) {
  Heard heard;
  take(heard, hello_of("spark2", 1), seconds(1));
  auto other_cage = hello_of("spark2", 2);
  other_cage.cage = 1;
  take(heard, other_cage, seconds(2));
  EXPECT_EQ(heard.find(kRail, "spark2", 0)->hello.cage, 1);
  EXPECT_EQ(heard.find(kRail, "spark2", 1), nullptr) << "another rail";
  take(heard, hello_of("spark2", 3), seconds(3));
  EXPECT_EQ(heard.find(kRail, "spark2", 0)->hello.cage, 0);
}

/// spark1 has spark2 at the other end of a cable, by two rails, and spark9 behind a switch.
protocol::PeersOrder order_of_spark1() {
  protocol::PeersOrder order;
  order.peers = {{.node = "spark2", .link = kRail},
                 {.node = "spark2", .link = "enP2p1s0f0np0", .rail = 1},
                 {.node = "spark9", .link = kRail, .on_switch = true}};
  return order;
}

TEST(Heard, PassesOnWhatItHeardOverACable) {
  Heard heard;
  EXPECT_EQ(passed_on(heard, order_of_spark1()), std::vector<protocol::PassedOn>{});
  take(heard, hello_of("spark2", 1), seconds(1));
  take(heard, hello_of("spark9", 1), seconds(1));
  const auto passed = passed_on(heard, order_of_spark1());
  ASSERT_EQ(passed.size(), 1U) << "behind a switch all hear each other";
  EXPECT_EQ(passed[0], (protocol::PassedOn{.node = "spark2", .boot = "first", .verdict = "ready"}));
  take(heard, hello_of("spark2", 2), seconds(6));
  EXPECT_EQ(passed_on(heard, order_of_spark1()), passed) << "a hello that says nothing new";
}

TEST(Heard, WhoIsSilentOnOneRailIsPassedOnAsHeardOnTheOther) {
  Heard heard;
  take(heard, hello_of("spark2", 1), seconds(1));
  auto other = hello_of("spark2", 2);
  other.rail = 1;
  heard.take("enP2p1s0f0np0", kPeerMac, other, true, seconds(10));
  heard.mark_silent(seconds(20));
  EXPECT_FALSE(passed_on(heard, order_of_spark1()).at(0).is_silent);
  heard.mark_silent(seconds(40));
  EXPECT_TRUE(passed_on(heard, order_of_spark1()).at(0).is_silent);
}

}  // namespace
}  // namespace spark::helpers
