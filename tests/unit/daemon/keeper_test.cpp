#include "daemon/keeper.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_cluster.hpp"
#include "reconcile/pause.hpp"

namespace spark {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr const char* kFile = "/etc/spark-reconcile/cluster.yaml";
constexpr const char* kRail = "enp1s0f0np0";

class KeeperTest : public testing::Test {
 protected:
  KeeperTest() {
    add_spark(host_);
    host_.files().put(kFile, pair_text());
  }

  PassOutcome pass() { return keeper_.pass({.triggers = {{"test", 1}}, .writers = writers_}); }

  void set_mtu(std::uint32_t bytes) { ASSERT_TRUE(host_.netlink().set_mtu(kRail, bytes)); }
  std::uint32_t mtu() {
    auto ports = host_.host();
    View view(ports);
    return view.link(kRail)->mtu;
  }

  std::map<int, std::string> writers_;
  FakeHost host_;
  Host ports_ = host_.host();
  Keeper keeper_{ports_, {.file = kFile, .version = "0"}};
};

TEST_F(KeeperTest, AppliesTheFileInItsFirstPassAndThenTouchesNothing) {
  const auto first = pass();
  EXPECT_TRUE(first.changed);
  EXPECT_EQ(first.state.node, "spark1");
  EXPECT_THAT(first.state.episodes, IsEmpty());
  EXPECT_THAT(first.state.changes, Not(IsEmpty()));
  EXPECT_EQ(first.state.changes.front().cause, ChangeRecord::Cause::kFile);
  host_.forget_writes();
  const auto second = pass();
  EXPECT_FALSE(second.changed);
  EXPECT_EQ(host_.writes(), 0U);
  EXPECT_EQ(second.state.counters.triggers.at("test"), 2U);
}

TEST_F(KeeperTest, PutsDriftRight) {
  pass();
  set_mtu(1500);
  const auto outcome = pass();
  EXPECT_EQ(mtu(), 9000U);
  EXPECT_EQ(outcome.state.changes.front().cause, ChangeRecord::Cause::kDrift);
  EXPECT_EQ(outcome.state.changes.front().before, "1500");
  EXPECT_THAT(outcome.state.episodes, IsEmpty());
}

TEST_F(KeeperTest, LeavesAContestedResourceAlone) {
  pass();
  for (int i = 0; i < 3; ++i) {
    set_mtu(1500);
    pass();
  }
  set_mtu(1500);
  const auto outcome = pass();
  EXPECT_EQ(mtu(), 1500U);
  ASSERT_THAT(outcome.state.episodes, SizeIs(1));
  EXPECT_EQ(outcome.state.episodes[0].state, Episode::State::kContested);
  EXPECT_EQ(outcome.state.episodes[0].have, "1500");
  EXPECT_EQ(outcome.state.episodes[0].want, "9000");
  EXPECT_TRUE(outcome.again_in);
}

TEST_F(KeeperTest, NamesWhoElseWritesIt) {
  pass();
  auto ports = host_.host();
  writers_ = {{View(ports).link(kRail)->index, "NetworkManager (process 412)"}};
  PassOutcome outcome;
  for (int i = 0; i < 3; ++i) {
    set_mtu(1500);
    outcome = pass();
  }
  EXPECT_EQ(
      outcome.state.episodes.at(0).why,
      "corrected 3 times within 10 minutes and changed again, by NetworkManager (process 412)");
}

TEST_F(KeeperTest, OnlyTellsWhatThePolicySays) {
  host_.files().put(kFile, pair_text() + "drift: { default: report, kinds: { sysctl: ignore } }\n");
  pass();
  set_mtu(1500);
  host_.sysctl().set("net.core.rmem_max", "212992");
  const auto outcome = pass();
  EXPECT_EQ(mtu(), 1500U);
  ASSERT_THAT(outcome.state.episodes, SizeIs(1));
  EXPECT_EQ(outcome.state.episodes[0].kind, "mtu");
  EXPECT_EQ(outcome.state.episodes[0].line, std::string(kFile) + ":8:8");
}

TEST_F(KeeperTest, AHealThatFailsTakesBackNoOther) {
  pass();
  set_mtu(1500);
  ASSERT_TRUE(host_.netlink().set_mtu("enP2p1s0f0np0", 1500));
  host_.refuse_if("mtu of 'enP2p1s0f0np0'");
  const auto outcome = pass();
  EXPECT_EQ(mtu(), 9000U);
  ASSERT_THAT(outcome.state.episodes, SizeIs(1)) << testing::PrintToString(host_.written());
  EXPECT_EQ(outcome.state.episodes[0].key, "enP2p1s0f0np0");
  EXPECT_EQ(outcome.state.episodes[0].state, Episode::State::kFailed);
}

TEST_F(KeeperTest, WhatFailsAfterABootTakesBackNothingElse) {
  pass();
  set_mtu(1500);
  ASSERT_TRUE(host_.netlink().set_mtu("enP2p1s0f0np0", 1500));
  host_.refuse_if("mtu of 'enP2p1s0f0np0'");
  Keeper after_boot(ports_, {.file = kFile, .version = "0"});
  const auto outcome = after_boot.pass({});
  EXPECT_EQ(mtu(), 9000U);
  EXPECT_THAT(outcome.state.changes,
              Contains(Field(&ChangeRecord::cause, ChangeRecord::Cause::kBoot)));
  EXPECT_THAT(outcome.state.episodes, SizeIs(1));
}

TEST_F(KeeperTest, KeepsTheLastGoodFileWhereANewOneIsWrong) {
  pass();
  host_.files().put(kFile, "version: 1\ncluster: pair\nnods: {}\n");
  set_mtu(1500);
  const auto outcome = pass();
  EXPECT_EQ(mtu(), 9000U);
  EXPECT_THAT(outcome.state.file.refused_first, HasSubstr("cluster.yaml:"));
  // Also after a reboot.
  set_mtu(1500);
  Keeper after_boot(ports_, {.file = kFile, .version = "0"});
  EXPECT_THAT(after_boot.pass({}).state.file.refused_first, HasSubstr("cluster.yaml:"));
  EXPECT_EQ(mtu(), 9000U);
  host_.files().put(kFile, pair_text());
  EXPECT_THAT(pass().state.file.refused, IsEmpty());
}

TEST_F(KeeperTest, HoldsNothingWhereNoFileWasEverGood) {
  host_.files().put(kFile, "version: 1\n");
  host_.forget_writes();
  const auto outcome = pass();
  EXPECT_THAT(outcome.state.node, IsEmpty());
  EXPECT_THAT(outcome.state.file.refused, HasSubstr("error"));
  EXPECT_EQ(host_.writes(), 0U);
}

TEST_F(KeeperTest, RefusesAFileThatCannotBeHadAndKeepsWhatWas) {
  pass();
  host_.refuse_if("mtu");
  auto text = pair_text();
  text.replace(text.find("9000"), 4, "4000");
  host_.files().put(kFile, text);
  const auto refused = pass();
  EXPECT_THAT(refused.state.file.refused, HasSubstr("not applied, and undone"));
  EXPECT_EQ(mtu(), 9000U);
  EXPECT_EQ(refused.again_in, std::chrono::seconds(5));
  host_.forget_writes();
  pass();
  EXPECT_EQ(host_.writes(), 0U);  // not before then
}

TEST_F(KeeperTest, CorrectsNothingWhilePaused) {
  pass();
  const auto start = now();
  ASSERT_TRUE(write_pause(host_.files(), {.since = start,
                                          .until = {start.wall + std::chrono::hours(2), start.boot},
                                          .reason = "a test",
                                          .by = "alice"}));
  set_mtu(1500);
  const auto outcome = pass();
  EXPECT_EQ(mtu(), 1500U);
  ASSERT_TRUE(outcome.state.paused);
  EXPECT_EQ(outcome.state.paused->reason, "a test");
  EXPECT_THAT(outcome.state.episodes, SizeIs(1));
  ASSERT_TRUE(remove_pause(host_.files()));
  EXPECT_THAT(pass().state.episodes, IsEmpty());
  EXPECT_EQ(mtu(), 9000U);
}

TEST_F(KeeperTest, WaitsForAnApplyByHand) {
  pass();
  set_mtu(1500);
  host_.files().hold_lock("process 1234");
  const auto outcome = pass();
  EXPECT_EQ(mtu(), 1500U);
  EXPECT_EQ(outcome.again_in, std::chrono::seconds(1));
  host_.files().hold_lock("");
  pass();
  EXPECT_EQ(mtu(), 9000U);
}

TEST_F(KeeperTest, JudgesTheGateAndKeepsSinceWhen) {
  pass();
  const auto ready = keeper_.gate(GateOptions::Depth::kNormal).state;
  EXPECT_EQ(ready.verdict, Verdict::kReady);
  const auto since = ready.verdict_since.boot;
  EXPECT_EQ(keeper_.gate(GateOptions::Depth::kLight).state.verdict_since.boot, since);
  host_.netlink().set_cable(kRail, false);
  EXPECT_EQ(keeper_.gate(GateOptions::Depth::kLight).state.verdict, Verdict::kNotReady);
}

TEST_F(KeeperTest, CountsTheTimesThatEventsWereLost) {
  EXPECT_EQ(keeper_.pass({.triggers = {{"overrun", 2}, {"netlink", 7}}}).state.counters.resyncs,
            2U);
}

TEST_F(KeeperTest, NamesWhatItHasLookedAt) { EXPECT_THAT(pass().sources, Contains("/etc/hosts")); }

}  // namespace
}  // namespace spark
