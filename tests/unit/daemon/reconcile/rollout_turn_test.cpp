#include "daemon/reconcile/rollout_turn.hpp"

#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spark::daemon {
namespace {

using protocol::PeersReport;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kOld(64, 'a');
const std::string kNew(64, 'b');

protocol::HeardHello says(const std::string& node, const std::string& file,
                          const std::string& candidate = "", const std::string& verdict = "ready") {
  protocol::HeardHello heard{.link = "enp1s0f0np0", .mac = "", .hello = {}, .heard_ms = 1};
  heard.hello.node = node;
  heard.hello.file = protocol::short_digest(file);
  heard.hello.candidate = protocol::short_digest(candidate);
  heard.hello.verdict = verdict;
  return heard;
}

PeersReport heard(protocol::HeardHello hello) {
  PeersReport report;
  report.heard.push_back(std::move(hello));
  return report;
}

std::vector<RolloutWait> waits(RolloutTurn& turn,
                               const std::vector<state::RolloutSkip>& skips = {}) {
  return turn.waits_for({"spark3"}, kNew, skips);
}

TEST(RolloutTurn, WaitsForWhoWasNeverHeard) {
  RolloutTurn turn;
  turn.note(std::nullopt);
  EXPECT_THAT(waits(turn), ElementsAre(RolloutWait{"spark3", "is not heard"}));
}

TEST(RolloutTurn, WaitsForWhoStillHasTheFileBefore) {
  RolloutTurn turn;
  turn.note(heard(says("spark3", kOld)));
  EXPECT_THAT(waits(turn), ElementsAre(RolloutWait{"spark3", "still has aaaaaaaaaaaa"}));
}

TEST(RolloutTurn, WaitsWhileTheFileIsOnTrialAndGoesOnceItIsGood) {
  RolloutTurn turn;
  turn.note(heard(says("spark3", kNew, kNew)));
  EXPECT_THAT(waits(turn), ElementsAre(RolloutWait{"spark3", "tries it"}));
  turn.note(heard(says("spark3", kNew)));
  EXPECT_THAT(waits(turn), IsEmpty());
}

TEST(RolloutTurn, SilenceHoldsWhateverWasSaidBefore) {
  RolloutTurn turn;
  turn.note(heard(says("spark3", kNew)));
  auto silent = says("spark3", kNew);
  silent.is_silent = true;
  turn.note(heard(silent));
  EXPECT_THAT(waits(turn), ElementsAre(RolloutWait{"spark3", "is silent"}));
  turn.note(heard(says("spark3", kNew)));
  EXPECT_THAT(waits(turn), IsEmpty());
  turn.note(std::nullopt);
  EXPECT_THAT(waits(turn), ElementsAre(RolloutWait{"spark3", "is silent"}));
}

TEST(RolloutTurn, OneRailThatIsHeardIsEnough) {
  RolloutTurn turn;
  auto report = heard(says("spark3", kNew));
  auto silent = says("spark3", kOld);
  silent.is_silent = true;
  silent.heard_ms = 9;
  report.heard.push_back(silent);
  turn.note(report);
  EXPECT_THAT(waits(turn), IsEmpty());
}

TEST(RolloutTurn, AWorseVerdictHoldsAndTheSameDoesNot) {
  RolloutTurn turn;
  turn.note(heard(says("spark3", kNew, "", "not ready")));
  EXPECT_THAT(waits(turn), ElementsAre(RolloutWait{"spark3", "has it, and is not ready"}));
  RolloutTurn knows;
  knows.note(heard(says("spark3", kOld, "", "not ready")));
  knows.note(heard(says("spark3", kNew, "", "not ready")));
  EXPECT_THAT(waits(knows), IsEmpty());
  RolloutTurn got_worse;
  got_worse.note(heard(says("spark3", kOld, "", "unknown")));
  got_worse.note(heard(says("spark3", kNew, "", "not ready")));
  EXPECT_THAT(waits(got_worse), ElementsAre(RolloutWait{"spark3", "has it, and is not ready"}));
}

TEST(RolloutTurn, SaysWhoWentBack) {
  RolloutTurn turn;
  turn.note(heard(says("spark3", kNew, kNew)));
  turn.note(heard(says("spark3", kOld)));
  EXPECT_THAT(waits(turn),
              ElementsAre(RolloutWait{"spark3", "tried it, and went back to aaaaaaaaaaaa"}));
}

TEST(RolloutTurn, AWordThatIsNotKnownIsTheWorst) {
  RolloutTurn turn;
  turn.note(heard(says("spark3", kNew, "", "splendid")));
  EXPECT_THAT(waits(turn), ElementsAre(RolloutWait{"spark3", "has it, and is not ready"}));
}

TEST(RolloutTurn, BelievesWhoHearsItAcrossTheRing) {
  RolloutTurn turn;
  auto report = heard(says("spark2", kOld));
  protocol::ToldDetails told;
  told.details.node = "spark2";
  told.details.heard.push_back({.node = "spark3",
                                .boot = "",
                                .file = protocol::short_digest(kNew),
                                .candidate = "",
                                .verdict = "ready"});
  report.told.push_back(told);
  turn.note(report);
  EXPECT_THAT(waits(turn), IsEmpty());
  report.heard.front().is_silent = true;  // who passes it on is silent itself
  turn.note(report);
  EXPECT_THAT(waits(turn), ElementsAre(RolloutWait{"spark3", "is silent"}));
}

TEST(RolloutTurn, DoesNotWaitForWhoIsSkipped) {
  RolloutTurn turn;
  turn.note(heard(says("spark3", kOld)));
  EXPECT_THAT(waits(turn, {{.node = "spark3", .why = "repair", .by = "", .at = ""}}), IsEmpty());
}

TEST(RolloutTurn, HoldsAFileSinceItWasHeldFirst) {
  RolloutTurn turn;
  const Moment first{{}, std::chrono::seconds(1)};
  const Moment later{{}, std::chrono::seconds(9)};
  EXPECT_EQ(turn.held_since(kNew, first).boot, first.boot);
  EXPECT_EQ(turn.held_since(kNew, later).boot, first.boot);
  EXPECT_EQ(turn.held_since(kOld, later).boot, later.boot);
}

class LateEnd : public testing::Test {
 protected:
  LateEnd() {
    node_.digest = kNew;
    node_.peers.push_back({.node = "spark2", .link = "enp1s0f0np0"});
    gate::RailFacts rail{.link = "enp1s0f0np0", .device = "", .ip = {}, .facts = {}};
    rail.add(gate::fails({"SR-GATE-002", "mtu"}, gate::Verdict::kNotReady, "1500", ""));
    rail.add(gate::fails(gate::kPeersFact, gate::Verdict::kNotReady, "spark2 is silent", ""));
    report_.rails.push_back(rail);
  }
  config::Node node_;
  gate::GateReport report_;
  RolloutTurn turn_;
  Moment now_{{}, std::chrono::seconds(100)};
};

TEST_F(LateEnd, IsToldAndClosesNoGate) {
  turn_.note(heard(says("spark2", kOld)));
  turn_.took(now_);
  turn_.excuse_late_ends(report_, node_, now_);
  EXPECT_TRUE(report_.rails[0].facts[0].counts);
  EXPECT_FALSE(report_.rails[0].facts[1].counts);
  EXPECT_THAT(report_.rails[0].facts[1].measured, HasSubstr("spark2 does not have this file yet"));
}

TEST_F(LateEnd, CountsWhereTheFileIsTheSame) {
  turn_.note(heard(says("spark2", kNew)));
  turn_.took(now_);
  turn_.excuse_late_ends(report_, node_, now_);
  EXPECT_TRUE(report_.rails[0].facts[1].counts);
}

TEST_F(LateEnd, CountsAfterTenMinutesAndWhereNoFileWasTaken) {
  turn_.note(heard(says("spark2", kOld)));
  turn_.excuse_late_ends(report_, node_, now_);
  EXPECT_TRUE(report_.rails[0].facts[1].counts);
  turn_.took(now_);
  turn_.excuse_late_ends(report_, node_, {{}, now_.boot + std::chrono::minutes(11)});
  EXPECT_TRUE(report_.rails[0].facts[1].counts);
}

}  // namespace
}  // namespace spark::daemon
