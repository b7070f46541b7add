#include "daemon/reconcile/rollout_turn.hpp"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spark::daemon {
namespace {

using protocol::PeersReport;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string kOld(64, 'a');
const std::string kNew(64, 'b');
const std::set<std::string> kNodes{"spark1", "spark2", "spark3", "spark5", "spark6", "spark7"};

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
  turn.note(std::nullopt, kNodes);
  EXPECT_THAT(waits(turn), ElementsAre(RolloutWait{"spark3", "is not heard"}));
}

TEST(RolloutTurn, WaitsForWhoStillHasTheFileBefore) {
  RolloutTurn turn;
  turn.note(heard(says("spark3", kOld)), kNodes);
  EXPECT_THAT(waits(turn), ElementsAre(RolloutWait{"spark3", "still has aaaaaaaaaaaa"}));
}

TEST(RolloutTurn, WaitsWhileTheFileIsOnTrialAndGoesOnceItIsGood) {
  RolloutTurn turn;
  turn.note(heard(says("spark3", kNew, kNew)), kNodes);
  EXPECT_THAT(waits(turn), ElementsAre(RolloutWait{"spark3", "tries it"}));
  turn.note(heard(says("spark3", kNew)), kNodes);
  EXPECT_THAT(waits(turn), IsEmpty());
}

TEST(RolloutTurn, SilenceHoldsWhateverWasSaidBefore) {
  RolloutTurn turn;
  turn.note(heard(says("spark3", kNew)), kNodes);
  auto silent = says("spark3", kNew);
  silent.is_silent = true;
  turn.note(heard(silent), kNodes);
  EXPECT_THAT(waits(turn), ElementsAre(RolloutWait{"spark3", "is silent"}));
  turn.note(heard(says("spark3", kNew)), kNodes);
  EXPECT_THAT(waits(turn), IsEmpty());
  turn.note(std::nullopt, kNodes);
  EXPECT_THAT(waits(turn), ElementsAre(RolloutWait{"spark3", "is silent"}));
}

TEST(RolloutTurn, OneRailThatIsHeardIsEnough) {
  RolloutTurn turn;
  auto report = heard(says("spark3", kNew));
  auto silent = says("spark3", kOld);
  silent.is_silent = true;
  silent.heard_ms = 9;
  report.heard.push_back(silent);
  turn.note(report, kNodes);
  EXPECT_THAT(waits(turn), IsEmpty());
}

TEST(RolloutTurn, AWorseVerdictHoldsAndTheSameDoesNot) {
  RolloutTurn turn;
  turn.note(heard(says("spark3", kNew, "", "not ready")), kNodes);
  EXPECT_THAT(waits(turn), ElementsAre(RolloutWait{"spark3", "has it, and is not ready"}));
  RolloutTurn knows;
  knows.note(heard(says("spark3", kOld, "", "not ready")), kNodes);
  knows.note(heard(says("spark3", kNew, "", "not ready")), kNodes);
  EXPECT_THAT(waits(knows), IsEmpty());
  RolloutTurn got_worse;
  got_worse.note(heard(says("spark3", kOld, "", "unknown")), kNodes);
  got_worse.note(heard(says("spark3", kNew, "", "not ready")), kNodes);
  EXPECT_THAT(waits(got_worse), ElementsAre(RolloutWait{"spark3", "has it, and is not ready"}));
}

TEST(RolloutTurn, SaysWhoWentBack) {
  RolloutTurn turn;
  turn.note(heard(says("spark3", kNew, kNew)), kNodes);
  turn.note(heard(says("spark3", kOld)), kNodes);
  EXPECT_THAT(waits(turn),
              ElementsAre(RolloutWait{"spark3", "tried it, and went back to aaaaaaaaaaaa"}));
}

TEST(RolloutTurn, SaysWhoWentBackFromTheLastOfManyFiles) {
  RolloutTurn turn;
  for (const char digit : {'c', 'd', 'e', 'f', '1', '2', '3', '4', '5'}) {
    turn.note(heard(says("spark3", std::string(64, digit))), kNodes);
  }
  turn.note(heard(says("spark3", kNew, kNew)), kNodes);
  turn.note(heard(says("spark3", kOld)), kNodes);
  EXPECT_THAT(waits(turn),
              ElementsAre(RolloutWait{"spark3", "tried it, and went back to aaaaaaaaaaaa"}));
}

TEST(RolloutTurn, AWordThatIsNotKnownIsTheWorst) {
  RolloutTurn turn;
  turn.note(heard(says("spark3", kNew, "", "splendid")), kNodes);
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
  turn.note(report, kNodes);
  EXPECT_THAT(waits(turn), IsEmpty());
  report.heard.front().is_silent = true;  // who passes it on is silent itself
  turn.note(report, kNodes);
  EXPECT_THAT(waits(turn), ElementsAre(RolloutWait{"spark3", "is silent"}));
}

/// As under a flood of names: each report has others, said and passed on.
TEST(RolloutTurn, TenThousandNamesOfStrangersLeaveNothing) {
  RolloutTurn turn;
  for (int i = 0; i < 10'000; ++i) {
    auto report = heard(says(fmt::format("stranger{}", i), kOld));
    report.heard.push_back(says("spark2", kNew));
    protocol::ToldDetails told;
    told.details.node = "spark2";
    told.details.heard.push_back({.node = fmt::format("other{}", i),
                                  .boot = "",
                                  .file = protocol::short_digest(kOld),
                                  .candidate = "",
                                  .verdict = "ready"});
    report.told.push_back(told);
    turn.note(report, kNodes);
  }
  EXPECT_EQ(turn.known(), 1U);
  EXPECT_THAT(turn.waits_for({"spark2"}, kNew, {}), IsEmpty());
}

TEST(RolloutTurn, ForgetsWhoLeftTheFiles) {
  RolloutTurn turn;
  turn.note(heard(says("spark3", kNew)), {"spark2", "spark3"});
  turn.note(std::nullopt, {"spark2"});
  EXPECT_EQ(turn.known(), 0U);
  EXPECT_THAT(waits(turn), ElementsAre(RolloutWait{"spark3", "is not heard"}));
}

TEST(RolloutTurn, DoesNotWaitForWhoIsSkipped) {
  RolloutTurn turn;
  turn.note(heard(says("spark3", kOld)), kNodes);
  EXPECT_THAT(waits(turn, {{.node = "spark3", .why = "repair", .by = "", .at = ""}}), IsEmpty());
}

TEST(RolloutTurn, HoldsAFileSinceItWasHeldFirst) {
  RolloutTurn turn;
  const Moment first{{}, std::chrono::seconds(1)};
  const Moment later{{}, std::chrono::seconds(9)};
  EXPECT_EQ(turn.hold({"spark3"}, kNew, {}, first)->since.boot, first.boot);
  EXPECT_EQ(turn.hold({"spark3"}, kNew, {}, later)->since.boot, first.boot);
  EXPECT_EQ(turn.hold({"spark3"}, kOld, {}, later)->since.boot, later.boot);
}

class OtherEnd : public testing::Test {
 protected:
  using seconds = std::chrono::seconds;
  using minutes = std::chrono::minutes;

  OtherEnd() {
    node_.digest = kOld;
    add_peer("spark2");
  }

  void add_peer(const std::string& name) {
    node_.peers.push_back({.node = name, .local = kOwn, .link = "enp1s0f0np0"});
  }

  /// A look at the gate: the MTU is wrong, and those peers do not answer. `files`: what each node
  /// says that it has.
  gate::GateReport look(const std::vector<std::string>& unreached,
                        const std::vector<std::pair<std::string, std::string>>& files) {
    PeersReport report;
    for (const auto& [name, file] : files) report.heard.push_back(says(name, file));
    turn_.note(report, kNodes);
    gate::RailFacts rail{.link = "enp1s0f0np0", .device = "", .ip = kOwn, .facts = {}};
    rail.add(gate::fails_until_apply({"SR-GATE-002", "mtu"}, gate::Detail::kDiffers, "1500"));
    rail.add(unreached.empty()
                 ? gate::holds(gate::kPeersFact, "spark2 answers")
                 : gate::fails(gate::kPeersFact, gate::Verdict::kNotReady, gate::Detail::kNoAnswer,
                               gate::named_peers(unreached), ""));
    rail.facts.back().peers = unreached;
    gate::GateReport gate;
    gate.rails.push_back(rail);
    turn_.excuse_other_ends(gate, node_, rolls_, now_);
    EXPECT_TRUE(gate.rails[0].facts[0].counts) << "the MTU is this node's own";
    return gate;
  }

  static bool is_excused(const gate::GateReport& report) {
    return !report.rails[0].facts[1].counts;
  }

  const IpAddress kOwn = *IpAddress::parse("192.0.2.11");
  config::Node node_;
  RolloutTurn turn_;
  bool rolls_ = true;
  Moment now_{{}, seconds(100)};
};

TEST_F(OtherEnd, WithTheFileBeforeIsToldAndClosesNoGate) {
  look({}, {{"spark2", kOld}});
  node_.digest = kNew;
  const auto report = look({"spark2"}, {{"spark2", kOld}});
  EXPECT_TRUE(is_excused(report));
  EXPECT_THAT(report.rails[0].facts[1].measured,
              HasSubstr("; spark2 has another file than this node"));
}

TEST_F(OtherEnd, WithTheNextFileIsToldAndClosesNoGate) {
  look({}, {{"spark2", kOld}});
  now_.boot += seconds(10);
  look({"spark2"}, {{"spark2", kOld}});  // its address goes before it says why
  EXPECT_TRUE(is_excused(look({"spark2"}, {{"spark2", kNew}})));
}

TEST_F(OtherEnd, CountsWhereTheFileIsTheSame) {
  look({}, {{"spark2", kOld}});
  EXPECT_FALSE(is_excused(look({"spark2"}, {{"spark2", kOld}})));
}

TEST_F(OtherEnd, CountsTenMinutesAfterTheFilesDiffer) {
  look({}, {{"spark2", kOld}});
  look({"spark2"}, {{"spark2", kNew}});
  now_.boot += minutes(9);
  EXPECT_TRUE(is_excused(look({"spark2"}, {{"spark2", std::string(64, 'c')}})));
  now_.boot += minutes(2);
  EXPECT_FALSE(is_excused(look({"spark2"}, {{"spark2", std::string(64, 'd')}})))
      << "a third and a fourth file begin nothing anew";
}

TEST_F(OtherEnd, IsExcusedForAMomentAfterItTookTheFile) {
  look({}, {{"spark2", kOld}});
  node_.digest = kNew;
  look({"spark2"}, {{"spark2", kOld}});
  now_.boot += seconds(20);
  const auto report = look({"spark2"}, {{"spark2", kNew}});
  EXPECT_TRUE(is_excused(report)) << "what it told before is still there";
  EXPECT_THAT(report.rails[0].facts[1].measured,
              HasSubstr("; spark2 has had the file of this node for a moment"));
  now_.boot += seconds(29);
  EXPECT_TRUE(is_excused(look({"spark2"}, {{"spark2", kNew}})));
  now_.boot += seconds(2);
  EXPECT_FALSE(is_excused(look({"spark2"}, {{"spark2", kNew}})));
}

TEST_F(OtherEnd, AFifthPeerThatTheTextLeavesOutCounts) {
  std::vector<std::string> names{"spark2"};
  std::vector<std::pair<std::string, std::string>> before{{"spark2", kOld}};
  std::vector<std::pair<std::string, std::string>> after{{"spark2", kNew}};
  for (const auto* name : {"spark3", "spark5", "spark6", "spark7"}) {
    add_peer(name);
    names.emplace_back(name);
    before.emplace_back(name, kOld);
    after.emplace_back(name, kNew);
  }
  look({}, before);
  after.back().second = kOld;
  const auto report = look(names, after);
  EXPECT_FALSE(is_excused(report));
  EXPECT_THAT(report.rails[0].facts[1].measured, Not(HasSubstr("spark7")));
  after.back().second = kNew;
  EXPECT_TRUE(is_excused(look(names, after))) << "all of them have the next file";
}

TEST_F(OtherEnd, IsExcusedWhereAnotherPeerAnswers) {
  add_peer("spark5");
  look({}, {{"spark2", kOld}, {"spark5", kOld}});
  EXPECT_TRUE(is_excused(look({"spark2"}, {{"spark2", kNew}, {"spark5", kOld}})));
}

TEST_F(OtherEnd, CountsWhatDidNotHoldBefore) {
  look({"spark2"}, {{"spark2", kOld}});
  now_.boot += minutes(5);
  EXPECT_FALSE(is_excused(look({"spark2"}, {{"spark2", kNew}})));
}

TEST_F(OtherEnd, CountsWhereItDifferedFromTheStart) {
  EXPECT_FALSE(is_excused(look({"spark2"}, {{"spark2", kNew}})));
}

TEST_F(OtherEnd, CountsWhereNoChangeRollsThroughTheCluster) {
  rolls_ = false;
  look({}, {{"spark2", kOld}});
  EXPECT_FALSE(is_excused(look({"spark2"}, {{"spark2", kNew}})));
}

TEST_F(OtherEnd, CountsWhereItIsAboutAPeerWithTheSameFileToo) {
  add_peer("spark5");
  look({}, {{"spark2", kOld}, {"spark5", kOld}});
  EXPECT_FALSE(is_excused(look({"spark2", "spark5"}, {{"spark2", kNew}, {"spark5", kOld}})));
}

}  // namespace
}  // namespace spark::daemon
