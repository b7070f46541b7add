#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json_document.hpp"
#include "gate/checks/checks.hpp"
#include "gate/common/cabling_memory.hpp"
#include "protocol/paths.hpp"
#include "protocol/peers.hpp"
#include "state/journal.hpp"
#include "unit/gate/gate_world.hpp"

namespace spark::gate {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kRing = R"(
version: 1
cluster: ring
nodes: { spark1: { number: 1 }, spark2: { number: 2 }, spark3: { number: 3 } }
fabric:
  mtu: 9000
  cables:
    - { ends: [spark1:0, spark2:1], subnets: [198.51.100.0/28, 198.51.100.16/28] }
    - { ends: [spark3:0, spark1:1], subnets: [198.51.100.32/28, 198.51.100.48/28] }
    - { ends: [spark2:0, spark3:1], subnets: [203.0.113.0/28, 203.0.113.16/28] }
)";
constexpr const char* kOtherCage = "enp1s0f1np1";
constexpr host::MacAddress kMac{0x02, 0, 0x5e, 0x10, 1, 1};
constexpr host::MacAddress kSecondMac{0x02, 0, 0x5e, 0x10, 1, 2};

IpAddress ip(const char* text) { return *IpAddress::parse(text); }

/// A ring of three, of which no peer answers an echo. Rail 0 of each cage is looked at.
class CablingTest : public test::PassTest {
 protected:
  CablingTest() {
    text_ = kRing;
    EXPECT_EQ(apply().exit_code(), ExitCode::kDone);
    host_.probe().echo_with([](const auto&) { return protocol::EchoReport{}; });
    host_.probe().neighbours_with([this](const host::NeighbourQuestion& question) {
      std::vector<host::MacAddress> macs;
      for (const auto& [link, ip, mac] : wire_) {
        const bool is_heard = !question.to || *question.to == mac;
        if (link == question.link && ip == question.target && is_heard) macs.push_back(mac);
      }
      return macs;
    });
  }

  /// Somebody at the other end of the link has the address.
  void answers(const char* link, const char* address, const host::MacAddress& mac = kMac) {
    wire_.emplace_back(link, ip(address), mac);
  }

  GateReport look(std::chrono::milliseconds at, bool remembers = true) {
    memory_.begin(seconds(1000) + at);
    host::View view(ports_);
    return judge(ports_, view, node(), {.cabling = remembers ? &memory_ : nullptr});
  }

  /// As the daemon looks at a miswired cable: when it comes up, when others may be asked, and a
  /// second time.
  GateReport look_until_sure() {
    look(seconds(0));
    look(seconds(10));
    return look(seconds(11));
  }

  static const Fact* find(const GateReport& report, const char* link, const FactKind& kind) {
    const auto rail = std::ranges::find(report.rails, link, &RailFacts::link);
    const auto fact = std::ranges::find(rail->facts, kind.id, &Fact::id);
    return fact == rail->facts.end() ? nullptr : &*fact;
  }
  static const Fact& cabling(const GateReport& report, const char* link = kRail) {
    return *find(report, link, kCablingFact);
  }

  host::MacAddress mac_of(const char* link) {
    host::View view(ports_);
    return *host::parse_mac(view.link(link)->mac);
  }

  std::vector<std::tuple<std::string, IpAddress, host::MacAddress>> wire_;
  CablingMemory memory_;
};

TEST_F(CablingTest, APeerThatAnswersAnEchoIsAskedNothing) {
  host_.probe().echo_with([](const protocol::EchoRequest& request) {
    return protocol::EchoReport{.whole = false, .small = request.link == kRail, .refused = ""};
  });
  const auto report = look(seconds(0));
  EXPECT_EQ(cabling(report).verdict, Verdict::kReady);
  EXPECT_EQ(cabling(report).measured, "spark2:1 answers");
  EXPECT_THAT(host_.probe().take_questions(),
              testing::Not(Contains(Field(&host::NeighbourQuestion::link, kRail))));
}

TEST_F(CablingTest, APeerWithoutEchoesIsAskedFromOurAddressWhomTheKernelKnows) {
  answers(kRail, "198.51.100.2");
  host_.netlink().add_neighbour(kRail, ip("198.51.100.2"), kMac);
  EXPECT_EQ(cabling(look(seconds(0))).measured, "spark2:1 answers");
  EXPECT_THAT(
      host_.probe().take_questions(),
      Contains(host::NeighbourQuestion{
          .link = kRail, .target = ip("198.51.100.2"), .sender = ip("198.51.100.1"), .to = kMac}));
}

TEST_F(CablingTest, EverybodyIsAskedWhereWhomTheKernelKnewHasGone) {
  answers(kRail, "198.51.100.2", kSecondMac);
  host_.netlink().add_neighbour(kRail, ip("198.51.100.2"), kMac);
  EXPECT_EQ(cabling(look(seconds(0))).verdict, Verdict::kReady);
}

// Where nobody was asked, nobody was silent.
TEST_F(CablingTest, AQuestionThatCannotBeSentProvesNothing) {
  host_.probe().refuse_each_question("Address family not supported by protocol");
  const auto report = look_until_sure();
  EXPECT_EQ(cabling(report).measured,
            "spark2:1 could not be asked: Address family not supported by protocol");
  EXPECT_EQ(cabling(report).verdict, Verdict::kUnknown);
  EXPECT_EQ(find(report, kRail, kOneHostFact), nullptr);
}

TEST_F(CablingTest, AProvenCableIsProvenUntilItsCarrierGoes) {
  answers(kRail, "198.51.100.2");
  look(seconds(0));
  wire_.clear();
  host_.probe().take_questions();
  const auto later = look(minutes(60));
  EXPECT_EQ(cabling(later).measured, "spark2:1 answered; the carrier has held since");
  const auto rail = std::ranges::find(later.rails, kRail, &RailFacts::link);
  EXPECT_EQ(rail->cabling, (Cabling{.state = CablingState::kProven, .by = {"spark2", 1}}));
  host_.netlink().set_cable(kRail, false);
  host_.netlink().set_cable(kRail, true);
  EXPECT_EQ(cabling(look(minutes(61))).measured, "spark2:1: no answer");
}

TEST_F(CablingTest, AnAbsentPeerClosesNothingAndIsAskedOnce) {
  const auto report = look_until_sure();
  EXPECT_EQ(cabling(report).verdict, Verdict::kUnknown);
  EXPECT_EQ(report.verdict(), Verdict::kReady);
  EXPECT_THAT(report.why(), HasSubstr("its cables are not until a peer answers"));
  host_.probe().take_questions();
  look(minutes(30));
  EXPECT_THAT(host_.probe().take_questions(), IsEmpty());
  EXPECT_EQ(memory_.again_in(), std::nullopt);
}

TEST_F(CablingTest, TwoSwappedPlugsAreNamedWithTheSwapThatFixesThem) {
  for (const auto* address : {"198.51.100.35", "198.51.100.51"}) answers(kRail, address);
  answers(kOtherCage, "198.51.100.2");
  const auto report = look_until_sure();
  EXPECT_EQ(report.verdict(), Verdict::kNotReady);
  EXPECT_EQ(cabling(report).measured,
            "the cable in spark1:0 leads to spark3:0, the file says to spark2:1");
  EXPECT_EQ(cabling(report).detail, Detail::kWrongEnd);
  EXPECT_EQ(cabling(report).plug, Plug("spark3", 0));
  EXPECT_THAT(cabling(report).peers, ElementsAre("spark2", "spark3"));
  EXPECT_EQ(cabling(report).remedy, "swap the plugs in spark1:0 and spark1:1");
  EXPECT_EQ(cabling(report, kOtherCage).measured,
            "the cable in spark1:1 leads to spark2:1, the file says to spark3:0");
  EXPECT_THAT(report.why(), HasSubstr("[SR-GATE-016]"));
}

TEST_F(CablingTest, OthersAreAskedTenSecondsAfterTheCarrierAndFromNoAddress) {
  answers(kRail, "198.51.100.35");
  look(seconds(0));
  EXPECT_THAT(host_.probe().take_questions(), SizeIs(4)) << "the peer of each rail";
  EXPECT_EQ(memory_.again_in(), seconds(10));
  look(seconds(9));
  EXPECT_THAT(host_.probe().take_questions(), IsEmpty());
  EXPECT_NE(cabling(look(seconds(10))).verdict, Verdict::kNotReady) << "once is not enough";
  EXPECT_EQ(memory_.again_in(), seconds(1));
  const auto asked = host_.probe().take_questions();
  EXPECT_THAT(asked, Contains(host::NeighbourQuestion{
                         .link = kRail, .target = ip("198.51.100.35"), .sender = {}, .to = {}}));
  for (const auto& question : asked) {
    if (question.link != kRail) continue;
    EXPECT_EQ(question.sender.has_value(), question.target == ip("198.51.100.2"))
        << question.target.text();
  }
  EXPECT_EQ(cabling(look(seconds(11))).verdict, Verdict::kNotReady);
}

// Who looks once, by hand, cannot have seen the carrier come.
TEST_F(CablingTest, WhatWasThereAtTheFirstLookIsAsAgedAsItsAddress) {
  const auto prefix = *IpPrefix::parse("198.51.100.1/28");
  const auto now =
      std::chrono::steady_clock::now().time_since_epoch() / std::chrono::milliseconds(10);
  ASSERT_TRUE(host_.netlink().remove_address(kRail, prefix));
  host_.netlink().add_foreign(kRail,
                              {.address = prefix, .added = static_cast<std::uint32_t>(now) - 700});
  answers(kRail, "198.51.100.35");
  look(seconds(0));
  ASSERT_TRUE(memory_.again_in());
  EXPECT_GT(*memory_.again_in(), seconds(2));
  EXPECT_LE(*memory_.again_in(), seconds(3));
  look(seconds(3));
  EXPECT_EQ(cabling(look(seconds(4))).verdict, Verdict::kNotReady);
  host_.netlink().set_cable(kRail, false);
  host_.netlink().set_cable(kRail, true);
  look(seconds(5));
  host_.probe().take_questions();
  look(seconds(9));
  EXPECT_THAT(host_.probe().take_questions(), IsEmpty()) << "this carrier was seen to come";
}

TEST_F(CablingTest, ACableThatIsMovedAgainAndAgainIsNamedEachTimeButThreeTimesInFiveMinutes) {
  const host::NeighbourQuestion other{
      .link = kRail, .target = ip("203.0.113.2"), .sender = {}, .to = {}};
  answers(kRail, "203.0.113.2");
  std::chrono::milliseconds at{0};
  for (int moves = 0; moves < 3; ++moves) {
    look(at);
    look(at + seconds(10));
    EXPECT_EQ(cabling(look(at + seconds(11))).verdict, Verdict::kNotReady) << moves;
    host_.netlink().set_cable(kRail, false);
    host_.netlink().set_cable(kRail, true);
    at += seconds(20);
  }
  look(at);
  host_.probe().take_questions();
  look(at + seconds(10));
  look(seconds(309));
  EXPECT_THAT(host_.probe().take_questions(), testing::Not(Contains(other)));
  EXPECT_EQ(memory_.again_in(), seconds(1));
  look(seconds(310));
  EXPECT_THAT(host_.probe().take_questions(), Contains(other));
}

TEST_F(CablingTest, AWrongPeerThatAnswersOnceOnlyIsNoFault) {
  answers(kRail, "198.51.100.35");
  look(seconds(0));
  look(seconds(10));
  wire_.clear();
  EXPECT_EQ(cabling(look(seconds(11))).verdict, Verdict::kUnknown);
}

TEST_F(CablingTest, ThePeerThatAnswersInTheSecondRoundIsRight) {
  answers(kRail, "198.51.100.35");
  look(seconds(0));
  look(seconds(10));
  answers(kRail, "198.51.100.2", kSecondMac);
  EXPECT_EQ(cabling(look(seconds(11))).measured, "spark2:1 answers");
}

TEST_F(CablingTest, TwoCablesToOneNodeAreFixedAtTheOtherEnds) {
  answers(kOtherCage, "203.0.113.2");
  const auto report = look_until_sure();
  EXPECT_EQ(cabling(report, kOtherCage).measured,
            "the cable in spark1:1 leads to spark2:0, the file says to spark3:0");
  EXPECT_EQ(cabling(report, kOtherCage).remedy, "swap the plugs in spark2:0 and spark3:0");
}

TEST_F(CablingTest, ACableThatEndsInItsOwnMachineIsWrong) {
  const auto mac = mac_of(kOtherCage);
  answers(kRail, "198.51.100.33", mac);
  const auto report = look_until_sure();
  EXPECT_EQ(cabling(report).measured,
            "the cable in spark1:0 leads to spark1:1, the file says to spark2:1");
  EXPECT_EQ(cabling(report).remedy, "swap the plugs in spark1:1 and spark2:1");
  for (const auto* link : {kOtherCage, "enP2p1s0f1np1"}) {
    EXPECT_EQ(cabling(report, link).measured,
              "the cable in spark1:1 leads to spark1:0, the file says to spark3:0")
        << "its other end, which nobody answered";
  }
  EXPECT_EQ(cabling(report, "enP2p1s0f0np0").verdict, Verdict::kNotReady);
}

TEST_F(CablingTest, OfALoopThePlugThatIsElsewhereByThenIsNotCalledWrong) {
  answers(kRail, "198.51.100.33", mac_of(kOtherCage));
  auto report = look_until_sure();
  EXPECT_EQ(cabling(report, kOtherCage).verdict, Verdict::kNotReady);
  // The plug of cage 1 goes where the file wants it, to a machine that is off.
  wire_.clear();
  for (const auto* link : {kOtherCage, "enP2p1s0f1np1"}) {
    host_.netlink().set_cable(link, false);
    host_.netlink().set_cable(link, true);
  }
  report = look(seconds(600));
  EXPECT_EQ(cabling(report, kOtherCage).verdict, Verdict::kUnknown);
}

TEST_F(CablingTest, TheOtherRailOfTheCageThatAnswersForThisMachineIsNoLoop) {
  const auto twin = mac_of("enP2p1s0f0np0");
  answers(kRail, "198.51.100.33", twin);
  answers(kRail, "198.51.100.1", twin);
  const auto report = look_until_sure();
  EXPECT_EQ(cabling(report).measured, "spark2:1: no answer");
  EXPECT_EQ(find(report, kRail, kOneHostFact)->verdict, Verdict::kReady);
}

TEST_F(CablingTest, ASwitchWhereACableWasSaidIsReportedAndClosesNothing) {
  answers(kRail, "198.51.100.35");
  answers(kRail, "203.0.113.2", kSecondMac);
  const auto report = look_until_sure();
  EXPECT_THAT(cabling(report).measured, HasSubstr("several nodes answer, among them spark2 and"));
  EXPECT_EQ(report.verdict(), Verdict::kReady);
}

TEST_F(CablingTest, SeveralNodesThatAreHeardOverACableAreASwitchAndCloseNothing) {
  protocol::PeersReport report{.boot_id = state::boot_id(ports_)};
  const auto hears = [&](const char* node, std::int64_t since, std::int64_t last) {
    report.heard.push_back({.link = kRail,
                            .mac = "02:00:5e:10:01:01",
                            .hello = {.cluster = "ring", .node = node},
                            .heard_ms = last,
                            .since_ms = since});
    host_.files().put(protocol::kPeersReportFile,
                      json_text(document_of(protocol::kPeersReportSchema, report)));
  };
  hears("spark2", 1000, 30'000);
  hears("spark3", 40'000, 50'000);
  EXPECT_EQ(cabling(look(seconds(0))).measured, "spark2:1: no answer") << "the cable was moved";
  report.heard.front().heard_ms = 51'000;
  hears("a stranger", 1000, 51'000);
  const auto seen = look(seconds(1));
  EXPECT_EQ(cabling(seen).measured,
            "a switch is between spark1, spark2, spark3; the file says a cable");
  EXPECT_EQ(cabling(seen).detail, Detail::kSwitchBetween);
  EXPECT_THAT(cabling(seen).peers, ElementsAre("spark2", "spark3"));
  EXPECT_EQ(cabling(seen).remedy,
            "plug the cable in spark1:0 straight into spark2:1, or write `switches:`");
  EXPECT_EQ(cabling(seen, kOtherCage).measured, "spark3:0: no answer");
  EXPECT_EQ(seen.verdict(), Verdict::kReady);
}

TEST_F(CablingTest, AHostThatAnswersForAllIsReportedAndProvesNothing) {
  for (const auto* address : {"198.51.100.2", "198.51.100.35", "203.0.113.2"})
    answers(kRail, address);
  const auto report = look_until_sure();
  EXPECT_EQ(cabling(report).measured, "02:00:5e:10:01:01 answers for several nodes (proxy ARP)");
  EXPECT_EQ(report.verdict(), Verdict::kReady);
}

TEST_F(CablingTest, APeerBeforeItsFirstApplyIsNotProvenAndNotWrong) {
  answers(kRail, "198.51.100.2");
  answers(kRail, "198.51.100.2", kSecondMac);
  answers(kRail, "203.0.113.2");
  const auto report = look_until_sure();
  EXPECT_THAT(cabling(report).measured, HasSubstr("2 hosts or rails answer for 198.51.100.2: "
                                                  "02:00:5e:10:01:01, 02:00:5e:10:01:02"));
  EXPECT_EQ(report.verdict(), Verdict::kReady);
}

TEST_F(CablingTest, TheOtherRailOfThePeerProvesTheCable) {
  answers(kRail, "198.51.100.18");
  EXPECT_EQ(cabling(look_until_sure()).verdict, Verdict::kReady);
}

TEST_F(CablingTest, NobodyButPeersIsAskedBesideAJob) {
  answers(kRail, "198.51.100.35");
  host_.rdma().set_users("rocep1s0f0", 4);
  EXPECT_EQ(cabling(look_until_sure()).verdict, Verdict::kUnknown);
  EXPECT_THAT(host_.probe().take_questions(),
              testing::Not(Contains(host::NeighbourQuestion{
                  .link = kRail, .target = ip("198.51.100.35"), .sender = {}, .to = {}})));
  host_.rdma().set_users("rocep1s0f0", 0);
  look(seconds(70));
  EXPECT_EQ(cabling(look(seconds(71))).verdict, Verdict::kNotReady);
  host_.rdma().set_users("rocep1s0f0", 4);
  EXPECT_EQ(cabling(look(seconds(72))).verdict, Verdict::kNotReady) << "a job changes no verdict";
}

TEST_F(CablingTest, AJobOnTheOtherRailOfTheCageIsAJobToo) {
  answers(kRail, "198.51.100.35");
  host_.rdma().set_users("roceP2p1s0f0", 4);
  EXPECT_EQ(cabling(look_until_sure()).verdict, Verdict::kUnknown);
  host_.rdma().set_users("roceP2p1s0f0", 0);
  look(seconds(70));
  EXPECT_EQ(cabling(look(seconds(71))).verdict, Verdict::kNotReady);
}

TEST_F(CablingTest, AWrongCableIsWrongUntilItIsMoved) {
  answers(kRail, "198.51.100.35");
  look_until_sure();
  host_.probe().take_questions();
  EXPECT_EQ(cabling(look(minutes(30))).verdict, Verdict::kNotReady);
  EXPECT_THAT(host_.probe().take_questions(), IsEmpty());
  host_.netlink().set_cable(kRail, false);
  host_.netlink().set_cable(kRail, true);
  wire_.clear();
  answers(kRail, "198.51.100.2");
  EXPECT_EQ(cabling(look(minutes(31))).verdict, Verdict::kReady);
}

TEST_F(CablingTest, ANewFileAsksAgainAboutWhatIsNotProven) {
  look_until_sure();
  host_.probe().take_questions();
  text_ += "host: { sysctl: { net.ipv4.tcp_ecn: 1 } }\n";
  answers(kRail, "198.51.100.2");
  EXPECT_EQ(cabling(look(seconds(30))).verdict, Verdict::kReady);
}

TEST_F(CablingTest, WithoutAMemoryOnlyPeersAreAsked) {
  answers(kRail, "198.51.100.35");
  const auto report = look(seconds(60), false);
  EXPECT_EQ(cabling(report).measured, "spark2:1: no answer");
  EXPECT_THAT(host_.probe().take_questions(), SizeIs(4));
}

TEST_F(CablingTest, AnAddressThatAnotherHostHasClosesTheGate) {
  answers(kRail, "198.51.100.1", kSecondMac);
  EXPECT_EQ(find(look(seconds(0)), kRail, kOneHostFact), nullptr);
  EXPECT_EQ(find(look(seconds(10)), kRail, kOneHostFact), nullptr);
  const auto report = look(seconds(11));
  EXPECT_EQ(find(report, kRail, kOneHostFact)->measured,
            "another host has 198.51.100.1 too: 02:00:5e:10:01:02");
  EXPECT_THAT(find(report, kRail, kOneHostFact)->macs, ElementsAre("02:00:5e:10:01:02"));
  EXPECT_EQ(report.verdict(), Verdict::kNotReady);
  EXPECT_EQ(find(report, kOtherCage, kOneHostFact)->measured,
            "no other host answers for 198.51.100.33");
}

TEST_F(CablingTest, WhoTookTheAddressLaterIsFoundWhenThePeerFallsSilent) {
  bool is_there = true;
  host_.probe().echo_with([&is_there](const protocol::EchoRequest& request) {
    return protocol::EchoReport{
        .whole = is_there && request.link == kRail, .small = false, .refused = ""};
  });
  const auto one_host = [](const GateReport& report) {
    return find(report, kRail, kOneHostFact)->verdict;
  };
  look(seconds(0));
  EXPECT_EQ(one_host(look(seconds(10))), Verdict::kReady);
  answers(kRail, "198.51.100.1", kSecondMac);
  EXPECT_EQ(one_host(look(seconds(60))), Verdict::kReady) << "there was no reason to ask";
  is_there = false;
  look(seconds(90));
  EXPECT_EQ(one_host(look(seconds(91))), Verdict::kNotReady);
  wire_.clear();
  is_there = true;
  EXPECT_EQ(one_host(look(seconds(120))), Verdict::kReady) << "the other host has let go of it";
}

TEST_F(CablingTest, AnotherHostIsAskedForEveryFiveMinutesUntilItHasGone) {
  answers(kRail, "198.51.100.1", kSecondMac);
  look_until_sure();
  wire_.clear();
  EXPECT_EQ(find(look(seconds(300)), kRail, kOneHostFact)->verdict, Verdict::kNotReady);
  EXPECT_EQ(memory_.again_in(), seconds(11));
  EXPECT_EQ(find(look(seconds(311)), kRail, kOneHostFact)->verdict, Verdict::kReady);
}

TEST_F(CablingTest, NobodyIsAskedWherePeersAreOff) {
  text_ += "ready: { peers: off }\n";
  const auto report = look_until_sure();
  EXPECT_EQ(find(report, kRail, kCablingFact), nullptr);
  EXPECT_THAT(host_.probe().take_questions(), IsEmpty());
}

TEST_F(CablingTest, WhoMayNotAskSaysSo) {
  host_.probe().refuse_questions({ErrorCode::kPermission, "it lacks CAP_NET_RAW"});
  EXPECT_EQ(cabling(look(seconds(0))).measured, "it lacks CAP_NET_RAW");
  EXPECT_EQ(cabling(look(seconds(0))).remedy, "run it as root");
}

TEST_F(CablingTest, ACableInACageThatTheFileDoesNotNameIsWrong) {
  text_ = test::pair_text();
  host_.netlink().set_cable(kRail, false);
  host_.netlink().set_cable("enP2p1s0f0np0", false);
  const auto report = look(seconds(0));
  const auto rail = std::ranges::find(report.rails, kRail, &RailFacts::link);
  EXPECT_EQ(rail->cabling, (Cabling{.state = CablingState::kWrong, .by = {"spark1", 1}}));
  EXPECT_EQ(find(report, kRail, kCablingFact), nullptr) << "the fact of the link says it";
}

TEST_F(CablingTest, ACableOfSomethingElseIsNotThePlug) {
  text_ = test::pair_text();
  // The other link of that cage has a carrier too.
  text_.replace(text_.find("number: 11,"), 11,
                "number: 11, links: { enp1s0f1np1: { owner: host } },");
  host_.netlink().set_cable(kRail, false);
  host_.netlink().set_cable("enP2p1s0f0np0", false);
  const auto report = look(seconds(0));
  const auto rail = std::ranges::find(report.rails, kRail, &RailFacts::link);
  EXPECT_EQ(rail->cabling, std::nullopt);
}

TEST_F(CablingTest, ARailWithIpv6IsAlwaysAskedFromItsOwnAddress) {
  text_ = R"(
version: 1
cluster: ring
nodes: { spark1: { number: 1 }, spark2: { number: 2 }, spark3: { number: 3 } }
fabric:
  cables:
    - { ends: [spark1:0, spark2:1], subnets: ["2001:db8:1::/64", "2001:db8:2::/64"] }
    - { ends: [spark3:0, spark1:1], subnets: ["2001:db8:3::/64", "2001:db8:4::/64"] }
)";
  EXPECT_EQ(apply().exit_code(), ExitCode::kDone);
  answers(kRail, "2001:db8:3::3");
  const auto report = look_until_sure();
  EXPECT_EQ(cabling(report).verdict, Verdict::kNotReady);
  for (const auto& question : host_.probe().take_questions()) EXPECT_TRUE(question.sender);
}

}  // namespace
}  // namespace spark::gate
