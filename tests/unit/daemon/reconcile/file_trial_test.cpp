#include "daemon/reconcile/file_trial.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gate/checks/checks.hpp"

namespace spark::daemon {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

Moment at(seconds boot) { return {{}, boot}; }

gate::Fact fact(const gate::FactKind& kind, gate::Verdict verdict) {
  return verdict == gate::Verdict::kReady
             ? gate::holds(kind, "seen")
             : gate::fails(kind, verdict, gate::Detail::kTryFailed, "seen", "");
}

/// A rail whose MTU and whose peers are so.
gate::GateReport report(gate::Verdict mtu, gate::Verdict peers = gate::Verdict::kReady) {
  gate::GateReport all;
  all.rails.push_back({.link = "enp1s0f0np0",
                       .device = "",
                       .ip = {},
                       .facts = {fact(gate::kMtuFact, mtu), fact(gate::kPeersFact, peers)}});
  return all;
}

using enum gate::Verdict;
enum class Verdict : std::uint8_t { kOpen, kGood, kBad };

struct Trial {
  explicit Trial(const gate::GateReport& report) : before(facts_seen(report)) {}

  Verdict judge(const gate::GateReport& now, Moment at) {
    const auto found = compare(before, now);
    why = found.why;
    if (!file_trial.has_lasted(found.trend, minutes(2), at)) return Verdict::kOpen;
    return found.trend == state::Trend::kSame ? Verdict::kGood : Verdict::kBad;
  }

  state::FactsSeen before;
  FileTrial file_trial;
  std::string why;
};

Trial trial_beside(const gate::GateReport& before) { return Trial(before); }

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
  EXPECT_THAT(trial.why, HasSubstr("SR-GATE-002"));
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
                       .facts = {fact(gate::kLinkFact, link), fact(gate::kPortFact, port)}});
  all.node.push_back(about("nqn.a", fact(gate::kNvmeFact, volume)));
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

  auto other = trial_beside(before);
  const auto wrong = cabled(kReady, kNotReady, kReady);
  EXPECT_EQ(other.judge(wrong, at(seconds(10))), Verdict::kOpen);
  EXPECT_EQ(other.judge(wrong, at(seconds(130))), Verdict::kBad);
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

gate::GateReport storage(gate::Verdict identity, gate::Verdict one, gate::Verdict other) {
  gate::GateReport all;
  // As check_storage has it: one id for all three.
  constexpr gate::FactKind kIdentity{.id = gate::kNvmeFact.id, .name = gate::kNvmeFact.name};
  all.node = {about("host", fact(kIdentity, identity)), about("nqn.a", fact(gate::kNvmeFact, one)),
              about("nqn.b", fact(gate::kNvmeFact, other))};
  return all;
}

// A6: one target that had been away for weeks rolled back each file.
TEST(FileTrial, ATargetThatWasAwayBeforeHindersNothing) {
  auto trial = trial_beside(storage(kReady, kReady, kNotReady));
  EXPECT_EQ(trial.judge(storage(kReady, kReady, kNotReady), at(seconds(10))), Verdict::kOpen);
  EXPECT_EQ(trial.judge(storage(kReady, kReady, kNotReady), at(seconds(130))), Verdict::kGood);
}

// A7: a target that restarts after a merge rolled the file back on each node.
TEST(FileTrial, ATargetThatGoesAwayIsNobodysFault) {
  auto trial = trial_beside(storage(kReady, kReady, kReady));
  EXPECT_EQ(trial.judge(storage(kReady, kNotReady, kReady), at(seconds(10))), Verdict::kOpen);
  EXPECT_EQ(trial.judge(storage(kReady, kNotReady, kReady), at(minutes(60))), Verdict::kOpen);
  auto other = trial_beside(storage(kReady, kReady, kReady));
  EXPECT_EQ(other.judge(storage(kNotReady, kReady, kReady), at(seconds(10))), Verdict::kOpen);
  EXPECT_EQ(other.judge(storage(kNotReady, kReady, kReady), at(seconds(130))), Verdict::kBad)
      << "who this machine is, it says itself";
}

/// A rail with two addresses, and the MTU that each look finds.
gate::GateReport addressed(const std::vector<std::pair<const char*, gate::Verdict>>& addresses) {
  gate::GateReport all;
  for (const auto& [ip, verdict] : addresses) {
    all.rails.push_back({.link = "enp1s0f0np0",
                         .device = "",
                         .ip = IpAddress::parse(ip).value(),
                         .facts = {fact(gate::kAddressFact, verdict)}});
  }
  return all;
}

TEST(FileTrial, ANewAddressStandsForTheOneBefore) {
  auto trial = trial_beside(addressed({{"192.0.2.11", kReady}}));
  const auto wrong = addressed({{"198.51.100.11", kNotReady}});
  EXPECT_EQ(trial.judge(wrong, at(seconds(10))), Verdict::kOpen);
  EXPECT_EQ(trial.judge(wrong, at(seconds(130))), Verdict::kBad);
}

TEST(FileTrial, OneAddressIsNotTakenForAnother) {
  auto trial = trial_beside(addressed({{"192.0.2.11", kReady}, {"192.0.2.12", kNotReady}}));
  const auto now = addressed({{"192.0.2.12", kNotReady}});
  EXPECT_EQ(
      compare(trial.before, addressed({{"192.0.2.11", kReady}, {"192.0.2.12", kNotReady}})).trend,
      state::Trend::kSame);
  EXPECT_NE(compare(trial.before, now).trend, state::Trend::kWorse);
}

/// Of three facts all that each can have been and be: what failed before, reaches beyond this node
/// or went with a cable makes no file bad; what held and fails makes it so; what nobody knows
/// leaves it open.
TEST(FileTrial, JudgesEachFactByItself) {
  const std::vector all{kReady, kUnknown, kWaiting, kNotReady};
  for (const auto b1 : all)
    for (const auto b2 : all)
      for (const auto b3 : all)
        for (const auto n1 : all)
          for (const auto n2 : all)
            for (const auto n3 : all) {
              const auto found = compare(facts_seen(storage(b1, b2, b3)), storage(n1, n2, n3));
              const bool is_worse = b1 == kReady && n1 == kNotReady;
              const bool is_open = (b1 == kReady && n1 != kReady) ||
                                   (b2 == kReady && n2 != kReady) || (b3 == kReady && n3 != kReady);
              ASSERT_EQ(found.trend, is_worse  ? state::Trend::kWorse
                                     : is_open ? state::Trend::kOpen
                                               : state::Trend::kSame);
            }
}

}  // namespace
}  // namespace spark::daemon
