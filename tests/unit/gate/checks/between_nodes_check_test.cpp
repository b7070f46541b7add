#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json_document.hpp"
#include "base/moment.hpp"
#include "gate/checks/checks.hpp"
#include "protocol/peers.hpp"
#include "state/journal.hpp"
#include "unit/gate/gate_world.hpp"

namespace spark::gate {
namespace {

using protocol::PeerReport;
using protocol::RdmaHindrance;
using protocol::RdmaProof;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kOtherBoot = "c0ffee";
const IpAddress kOther = *IpAddress::parse("198.51.100.12");

PeerReport moved() {
  return {.path_mtu = 4096,
          .registered = true,
          .verified = true,
          .received = true,
          .latency_p50_us = 2.14,
          .why = "",
          .other_why = ""};
}

PeerReport failed(const std::string& step, const std::string& why) {
  auto report = moved();
  report.failed = step;
  report.why = why;
  return report;
}

/// spark2 is heard, has the same file, and RDMA to it was proven over the first rail.
class BetweenNodesTest : public GateTest {
 protected:
  BetweenNodesTest() {
    host_.sysctl().set("kernel.random.boot_id", "b007");
    known.boot_id = state::boot_id(ports_);
    known.heard.push_back({.link = kRail, .mac = "", .hello = {.node = "spark2"}});
    known.told.push_back(
        {.details = {.cluster = "pair",
                     .node = "spark2",
                     .boot_id = kOtherBoot,
                     .file = node().digest,
                     .reasons = {},
                     .rails = {{.link = "enp1s0f0np0", .mtu = 9000, .ip = kOther}}}});
    known.rdma.push_back({.node = "spark2",
                          .link = kRail,
                          .ip = kOther,
                          .tried_ms = (now().boot - std::chrono::hours(3)).count(),
                          .ours = moved(),
                          .theirs = moved(),
                          .boot_id = kOtherBoot});
  }

  GateReport look_at_peers() {
    host_.files().put(protocol::kPeersReportFile,
                      json_text(document_of(protocol::kPeersReportSchema, known)));
    return look();
  }
  Fact rdma() { return fact_of(look_at_peers().rails[0], "SR-GATE-019"); }
  RdmaProof& proof() { return known.rdma[0]; }
  protocol::NodeDetails& told() { return known.told[0].details; }
  void hinder(RdmaHindrance kind, const std::string& why) {
    proof().hindrance = kind;
    proof().why = why;
  }

  protocol::PeersReport known;
};

TEST_F(BetweenNodesTest, SaysWhatWasMovedBothWays) {
  const auto fact = rdma();
  EXPECT_EQ(fact.verdict, Verdict::kReady);
  EXPECT_EQ(fact.measured,
            "spark2: 1 MiB by WRITE, READ and SEND both ways, path MTU 4096, 8 bytes in 2.1 us");
  EXPECT_EQ(look().verdict(), Verdict::kReady);
}

TEST_F(BetweenNodesTest, WhoIsReachedIsKnownByItsAddress) {
  EXPECT_EQ(look_at_peers().rails[0].reach.at(kOther), protocol::Reach::kRdma);
  proof().ours = failed("WRITE", "transport retry counter exceeded");
  EXPECT_EQ(look_at_peers().rails[0].reach.at(kOther), protocol::Reach::kEcho);
  EXPECT_TRUE(look_at_peers().rails[0].rdma_fails.contains(kOther));
  host_.probe().echo_with([](const protocol::EchoRequest&) { return protocol::EchoReport{}; });
  proof().ours = moved();
  EXPECT_EQ(look_at_peers().rails[0].reach.at(kOther), protocol::Reach::kNone)
      << "what passes now says more than what passed before";
}

TEST_F(BetweenNodesTest, AMachineThatTookThePlaceOfAPeerIsNamedForADay) {
  known.told[0].replaced_ms = (now().boot - std::chrono::minutes(3)).count();
  EXPECT_EQ(rdma().verdict, Verdict::kReady);
  EXPECT_THAT(rdma().measured,
              HasSubstr("2.1 us; another machine than before answers as spark2 for 3 min"));
  known.told[0].replaced_ms = (now().boot - std::chrono::hours(25)).count();
  EXPECT_THAT(rdma().measured, Not(HasSubstr("another machine")));
}

TEST_F(BetweenNodesTest, HasNoFactsWhereNobodyReports) {
  const auto report = look();
  EXPECT_EQ(report.rails[0].find("SR-GATE-019"), nullptr);
  EXPECT_EQ(report.rails[0].find("SR-GATE-021"), nullptr);
  EXPECT_THAT(report.node, Not(Contains(testing::Field(&Fact::id, "SR-GATE-020"))));
}

TEST_F(BetweenNodesTest, HasNoFactsOfAnEarlierBoot) {
  known.boot_id = "01d";
  EXPECT_EQ(look_at_peers().rails[0].find("SR-GATE-019"), nullptr);
}

TEST_F(BetweenNodesTest, HasNoFactsWherePeersAreOff) {
  text_ += "ready: { peers: off }\n";
  EXPECT_EQ(look_at_peers().rails[0].find("SR-GATE-019"), nullptr);
}

TEST_F(BetweenNodesTest, WhatIsNotUnderstoodIsUnknownAndNeverCounts) {
  text_ += "ready: { peers: require }\n";
  for (const auto* text : {"", "{", "[]", R"({"schema":"spark-reconcile/peers/v2"})",
                           R"({"schema":"spark-reconcile/peers/v1","boot_id":7})"}) {
    host_.files().put(protocol::kPeersReportFile, text);
    const auto report = look();
    EXPECT_EQ(report.verdict(), Verdict::kReady) << text;
    ASSERT_EQ(report.node.empty(), false);
    EXPECT_THAT(report.node,
                Contains(testing::AllOf(
                    testing::Field(&Fact::id, "SR-GATE-019"),
                    testing::Field(&Fact::verdict, Verdict::kUnknown),
                    testing::Field(&Fact::measured, "what spark-peers reports is not understood"))))
        << text;
  }
}

TEST_F(BetweenNodesTest, APeerThatSaysWhatItLacksIsTheReason) {
  hinder(RdmaHindrance::kPeerEnd,
         "spark2: gid of enp1s0f0np0: no RoCE v2 GID of 198.51.100.12 [SR-GATE-005]");
  const auto fact = rdma();
  EXPECT_EQ(fact.verdict, Verdict::kNotReady);
  EXPECT_FALSE(fact.counts);
  EXPECT_EQ(fact.measured,
            "the echo passes, RDMA does not: spark2: gid of enp1s0f0np0: no RoCE v2 GID of "
            "198.51.100.12 [SR-GATE-005]");
}

TEST_F(BetweenNodesTest, AFailedTryIsToldFromBothEndsAndCountsWherePeersAreRequired) {
  text_ += "ready: { peers: require }\n";
  told().file = node().digest;
  proof().ours = failed("WRITE", "transport retry counter exceeded");
  proof().theirs = failed("SEND of the other end", "no report of it before the deadline");
  const auto report = look_at_peers();
  EXPECT_EQ(report.verdict(), Verdict::kNotReady);
  EXPECT_EQ(fact_of(report.rails[0], "SR-GATE-019").measured,
            "the echo passes, RDMA does not: spark2: here WRITE: transport retry counter exceeded; "
            "there SEND of the other end: no report of it before the deadline");
}

TEST_F(BetweenNodesTest, AProbeThatEndedWithoutAWordFailed) {
  proof().theirs.reset();
  const auto fact = rdma();
  EXPECT_EQ(fact.verdict, Verdict::kNotReady);
  EXPECT_THAT(fact.measured, HasSubstr("spark2: there the probe ended without a report"));
}

TEST_F(BetweenNodesTest, AJobChangesNoVerdictAndTheLastProofStands) {
  text_ += "ready: { peers: require }\n";
  hinder(RdmaHindrance::kJob, "spark2: python3 (pid 4711) of alice uses rocep1s0f0");
  const auto fact = rdma();
  EXPECT_EQ(fact.verdict, Verdict::kReady);
  EXPECT_EQ(fact.measured,
            "spark2: python3 (pid 4711) of alice uses rocep1s0f0; last proven 3 h ago");
}

TEST_F(BetweenNodesTest, WhatCannotBeKnownNeverCounts) {
  text_ += "ready: { peers: require }\n";
  for (const auto kind : {RdmaHindrance::kNotHeard, RdmaHindrance::kPeerWaits, RdmaHindrance::kJob,
                          RdmaHindrance::kProbe, RdmaHindrance::kOther}) {
    proof() = {.node = "spark2", .link = kRail, .ip = kOther, .hindrance = kind, .why = "for now"};
    const auto report = look_at_peers();
    const auto& fact = fact_of(report.rails[0], "SR-GATE-019");
    EXPECT_EQ(fact.verdict, Verdict::kUnknown);
    EXPECT_EQ(fact.measured, "for now");
    EXPECT_EQ(report.verdict(), Verdict::kReady);
  }
}

TEST_F(BetweenNodesTest, ASilentPeerIsUnknownWithItsLastProof) {
  hinder(RdmaHindrance::kNotHeard, "no hello of spark2 comes on enp1s0f0np0 any more");
  const auto fact = rdma();
  EXPECT_EQ(fact.verdict, Verdict::kUnknown);
  EXPECT_EQ(fact.measured, "no hello of spark2 comes on enp1s0f0np0 any more; last proven 3 h ago");
}

TEST_F(BetweenNodesTest, APeerThatStartedAgainIsNotProvenYet) {
  told().boot_id = "f00d";
  const auto fact = rdma();
  EXPECT_EQ(fact.verdict, Verdict::kUnknown);
  EXPECT_FALSE(fact.counts);
  EXPECT_EQ(fact.measured, "spark2: not tried yet");
}

TEST_F(BetweenNodesTest, ThisEndHasFactsOfItsOwn) {
  hinder(RdmaHindrance::kThisEnd, "no carrier on enp1s0f0np0");
  EXPECT_EQ(look_at_peers().rails[0].find("SR-GATE-019"), nullptr);
}

TEST_F(BetweenNodesTest, AnotherMtuAtThePeerIsToldWithBothEnds) {
  told().rails[0].mtu = 1500;
  const auto report = look_at_peers();
  const auto& fact = fact_of(report.rails[0], "SR-GATE-021");
  EXPECT_EQ(fact.verdict, Verdict::kNotReady);
  EXPECT_EQ(fact.measured, "spark2 has 1500 on enp1s0f0np0, this end 9000");
  EXPECT_EQ(fact.detail, Detail::kDiffers);
  EXPECT_THAT(fact.peers, ElementsAre("spark2"));
  EXPECT_EQ(report.verdict(), Verdict::kReady) << "peers are reported only";
}

TEST_F(BetweenNodesTest, WhatASilentPeerToldCountsForNothing) {
  const auto has_fact = [](const std::vector<Fact>& facts, std::string_view id) {
    return std::ranges::find(facts, id, &Fact::id) != facts.end();
  };
  const auto before = look_at_peers();
  EXPECT_TRUE(has_fact(before.rails[0].facts, kPeerMtuFact.id));
  EXPECT_TRUE(has_fact(before.node, kSameFileFact.id));
  known.heard[0].is_silent = true;
  const auto report = look_at_peers();
  EXPECT_FALSE(has_fact(report.rails[0].facts, kPeerMtuFact.id));
  EXPECT_FALSE(has_fact(report.node, kSameFileFact.id));
  EXPECT_TRUE(has_fact(report.rails[0].facts, kPeerRdmaFact.id)) << "which says when it was proven";
}

TEST_F(BetweenNodesTest, TheMtuOfBothEndsIsNoGoodNewsWhereOnlySmallPacketsPass) {
  host_.probe().echo_with(
      [](const protocol::EchoRequest&) { return protocol::EchoReport{.small = true}; });
  EXPECT_EQ(look_at_peers().rails[0].find(kPeerMtuFact.id), nullptr);
  told().rails[0].mtu = 1500;
  EXPECT_EQ(fact_of(look_at_peers().rails[0], "SR-GATE-021").verdict, Verdict::kNotReady)
      << "which is why";
}

TEST_F(BetweenNodesTest, AnotherFileIsToldAndNeverCounts) {
  text_ += "ready: { peers: require }\n";
  told().file = std::string(64, 'a');
  const auto report = look_at_peers();
  EXPECT_EQ(report.verdict(), Verdict::kReady);
  const auto own = node().digest.substr(0, 12);
  const auto& fact = *std::ranges::find(report.node, "SR-GATE-020", &Fact::id);
  EXPECT_EQ(fact.verdict, Verdict::kNotReady);
  EXPECT_EQ(fact.measured, own + " here; spark2 has aaaaaaaaaaaa");
  told().candidate = node().digest;
  const auto again = look_at_peers();
  EXPECT_EQ(std::ranges::find(again.node, "SR-GATE-020", &Fact::id)->measured,
            own + " here; spark2 has aaaaaaaaaaaa and tries this one");
}

TEST_F(BetweenNodesTest, APeerWithAnotherKeyIsUnknownAndNeverCounts) {
  text_ += "ready: { peers: require }\n";
  using protocol::KeyFault;
  for (const auto& [fault, text] :
       {std::pair{KeyFault::kAnother, "spark2 has another key"},
        std::pair{KeyFault::kMissing, "spark2 has no key (ready.key_file)"},
        std::pair{KeyFault::kAsked, "spark2 asks for a key, and this node has none"}}) {
    known.told.clear();
    known.heard.clear();
    known.refused = {{.link = kRail, .node = "spark2", .fault = fault}};
    hinder(RdmaHindrance::kKey, text);
    const auto report = look_at_peers();
    EXPECT_EQ(report.verdict(), Verdict::kReady);
    const auto& moved_bytes = fact_of(report.rails[0], "SR-GATE-019");
    EXPECT_EQ(moved_bytes.verdict, Verdict::kUnknown);
    EXPECT_FALSE(moved_bytes.counts);
    EXPECT_EQ(moved_bytes.measured, text + std::string("; last proven 3 h ago"));
    const auto& file = *std::ranges::find(report.node, "SR-GATE-020", &Fact::id);
    EXPECT_EQ(file.verdict, Verdict::kUnknown);
    EXPECT_FALSE(file.counts);
    EXPECT_EQ(file.measured, node().digest.substr(0, 12) + " here; " + text);
  }
}

TEST_F(BetweenNodesTest, AForgedHelloHidesNoPeerThatIsHeard) {
  known.refused = {{.link = kRail, .node = "spark2", .fault = protocol::KeyFault::kAnother}};
  known.heard = {{.link = "enP2p1s0f0np0", .mac = "", .hello = {.node = "spark2"}}};
  const auto report = look_at_peers();
  EXPECT_EQ(std::ranges::find(report.node, "SR-GATE-020", &Fact::id)->verdict, Verdict::kReady);
  known.heard[0].is_silent = true;
  const auto later = look_at_peers();
  EXPECT_EQ(std::ranges::find(later.node, "SR-GATE-020", &Fact::id)->verdict, Verdict::kUnknown);
}

TEST_F(BetweenNodesTest, AKeyOfThisNodeThatCannotBeUsedIsTheReason) {
  known.key_failed = "there is no '/etc/spark-reconcile/peers.key': … [SR-PEERS-001]";
  const auto report = look_at_peers();
  EXPECT_THAT(std::ranges::find(report.node, "SR-GATE-020", &Fact::id)->measured,
              HasSubstr("here; there is no '/etc/spark-reconcile/peers.key'"));
  EXPECT_EQ(report.verdict(), Verdict::kReady);
}

TEST_F(BetweenNodesTest, WordsOfOthersReachNoTerminalAsTheyAre) {
  hinder(RdmaHindrance::kPeerEnd, "spark2: \x1b[2J" + std::string(1000, 'x'));
  const auto fact = rdma();
  EXPECT_THAT(fact.measured, HasSubstr("\\x1b[2J"));
  EXPECT_LT(fact.measured.size(), 400U);
}

}  // namespace
}  // namespace spark::gate
