#include "daemon/reconcile/file_trial.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_host.hpp"

namespace spark::daemon {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

Moment at(seconds boot) { return {{}, boot}; }

gate::Fact fact(std::string id, gate::Verdict verdict) {
  return {
      .verdict = verdict, .id = std::move(id), .name = "fact", .measured = "seen", .remedy = ""};
}

/// A rail whose MTU and whose peers are so.
gate::GateReport report(gate::Verdict mtu, gate::Verdict peers = gate::Verdict::kReady) {
  gate::GateReport all;
  all.rails.push_back({.link = "enp1s0f0np0",
                       .device = "",
                       .ip = {},
                       .facts = {fact("SR-GATE-002", mtu), fact("SR-GATE-011", peers)}});
  return all;
}

using enum gate::Verdict;
using Verdict = FileTrial::Verdict;

FileTrial trial_beside(const gate::GateReport& before) {
  FileTrial trial;
  trial.begin("digest", before, minutes(2));
  return trial;
}

TEST(FileTrial, IsGoodOnceTheGateHasHeldForLongEnough) {
  auto trial = trial_beside(report(kReady));
  EXPECT_EQ(trial.judge(report(kReady), at(seconds(10))), Verdict::kOpen);
  EXPECT_EQ(trial.judge(report(kReady), at(seconds(129))), Verdict::kOpen);
  EXPECT_EQ(trial.judge(report(kReady), at(seconds(130))), Verdict::kGood);
}

TEST(FileTrial, IsBadOnceAFactThatHeldHasFailedForLongEnough) {
  auto trial = trial_beside(report(kReady));
  EXPECT_EQ(trial.judge(report(kNotReady), at(seconds(10))), Verdict::kOpen);
  EXPECT_EQ(trial.judge(report(kNotReady), at(seconds(130))), Verdict::kBad);
  EXPECT_THAT(trial.why_open(), HasSubstr("SR-GATE-002"));
}

TEST(FileTrial, BeginsAgainWhereTheFactHoldsInBetween) {
  auto trial = trial_beside(report(kReady));
  EXPECT_EQ(trial.judge(report(kNotReady), at(seconds(10))), Verdict::kOpen);
  EXPECT_EQ(trial.judge(report(kReady), at(seconds(60))), Verdict::kOpen);
  EXPECT_EQ(trial.judge(report(kNotReady), at(seconds(130))), Verdict::kOpen);
}

TEST(FileTrial, IsNeverBadForWhatTheOtherEndDoes) {
  auto trial = trial_beside(report(kReady));
  EXPECT_EQ(trial.judge(report(kReady, kNotReady), at(seconds(10))), Verdict::kOpen);
  EXPECT_EQ(trial.judge(report(kReady, kNotReady), at(minutes(60))), Verdict::kOpen);
  EXPECT_EQ(trial.judge(report(kReady), at(minutes(61))), Verdict::kOpen);
  EXPECT_EQ(trial.judge(report(kReady), at(minutes(63))), Verdict::kGood);
}

/// A rail whose link and RDMA port are so, and a volume that is reached over it.
gate::GateReport cabled(gate::Verdict link, gate::Verdict port, gate::Verdict volume) {
  gate::GateReport all;
  all.rails.push_back({.link = "enp1s0f0np0",
                       .device = "",
                       .ip = {},
                       .facts = {fact("SR-GATE-001", link), fact("SR-GATE-004", port)}});
  all.node.push_back(fact("SR-GATE-010", volume));
  return all;
}

// Both cables of the first node of a roll-out were pulled while it had the file on trial: its
// RDMA ports went down with their links, and a good file was rolled back and refused for good.
TEST(FileTrial, IsNeverBadForWhatGoesWithACarrier) {
  const auto before = cabled(kReady, kReady, kReady);
  auto trial = trial_beside(before);
  const auto pulled = cabled(kNotReady, kNotReady, kNotReady);
  EXPECT_EQ(trial.judge(pulled, at(seconds(10))), Verdict::kOpen);
  EXPECT_EQ(trial.judge(pulled, at(minutes(60))), Verdict::kOpen);
  EXPECT_EQ(trial.judge(before, at(minutes(61))), Verdict::kOpen);
  EXPECT_EQ(trial.judge(before, at(minutes(63))), Verdict::kGood);

  for (const auto& wrong : {cabled(kReady, kNotReady, kReady), cabled(kReady, kReady, kNotReady)}) {
    auto other = trial_beside(before);
    EXPECT_EQ(other.judge(wrong, at(seconds(10))), Verdict::kOpen);
    EXPECT_EQ(other.judge(wrong, at(seconds(130))), Verdict::kBad);
  }
}

TEST(FileTrial, DoesNotCountWhatFailedBefore) {
  auto trial = trial_beside(report(kNotReady));
  EXPECT_EQ(trial.judge(report(kNotReady), at(seconds(10))), Verdict::kOpen);
  EXPECT_EQ(trial.judge(report(kNotReady), at(seconds(130))), Verdict::kGood);
}

TEST(FileTrial, DoesNotWaitForARailThatLeftTheFile) {
  auto trial = trial_beside(report(kReady));
  EXPECT_EQ(trial.judge(gate::GateReport{}, at(seconds(10))), Verdict::kOpen);
  EXPECT_EQ(trial.judge(gate::GateReport{}, at(seconds(130))), Verdict::kGood);
}

TEST(FileTrial, WaitsForADeviceThatIsAway) {
  auto trial = trial_beside(report(kReady));
  EXPECT_EQ(trial.judge(report(kWaiting), at(seconds(10))), Verdict::kOpen);
  EXPECT_EQ(trial.judge(report(kWaiting), at(minutes(60))), Verdict::kOpen);
}

TEST(FileTrial, KeepsWhatHeldBeforeAcrossARestart) {
  test::FakeHost host;
  ASSERT_TRUE(trial_beside(report(kReady)).keep(host.files()));
  FileTrial trial;
  trial.restore(host.files());
  // The gate looks worse by now: what counts is how it was before the first apply.
  trial.begin("digest", report(kNotReady), minutes(2));
  EXPECT_EQ(trial.judge(report(kNotReady), at(seconds(10))), Verdict::kOpen);
  EXPECT_EQ(trial.judge(report(kNotReady), at(seconds(130))), Verdict::kBad);
}

}  // namespace
}  // namespace spark::daemon
