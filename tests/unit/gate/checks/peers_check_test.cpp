#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gate/checks/checks.hpp"
#include "unit/gate/gate_world.hpp"

namespace spark::gate {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const IpAddress kPeer = *IpAddress::parse("198.51.100.12");

protocol::EchoReport only_small(const protocol::EchoRequest& request) {
  return {.whole = request.to != kPeer, .small = true, .took = {}, .refused = ""};
}

TEST_F(GateTest, AsksEachPeerForThePacketThatTheMtuAllows) {
  const auto report = look();
  EXPECT_EQ(fact_of(report.rails[0], "SR-GATE-011").measured,
            "spark2 (198.51.100.12) answers 9000 bytes in 0.21 ms");
  ASSERT_EQ(host_.probe().echoes().size(), 2U);
  EXPECT_EQ(
      host_.probe().echoes()[0],
      (protocol::EchoRequest{.link = kRail, .from = kAddress.ip, .to = kPeer, .bytes = 9000}));
}

TEST_F(GateTest, ShowsAPeerThatItDoesNotRequire) {
  host_.probe().echo_with([](const protocol::EchoRequest&) { return protocol::EchoReport{}; });
  const auto report = look();
  EXPECT_THAT(closed_by(report),
              ElementsAre("SR-GATE-011", "SR-GATE-016", "SR-GATE-011", "SR-GATE-016"));
  EXPECT_EQ(report.verdict(), Verdict::kReady);
  EXPECT_EQ(fact_of(report.rails[0], "SR-GATE-011").measured,
            "spark2 (198.51.100.12) does not answer");
}

TEST_F(GateTest, IsClosedByAPeerThatItRequires) {
  text_ += "ready: { peers: require }\n";
  EXPECT_EQ(look().verdict(), Verdict::kReady);
  host_.probe().echo_with(only_small);
  const auto report = look();
  EXPECT_EQ(report.verdict(), Verdict::kNotReady);
  EXPECT_EQ(fact_of(report.rails[0], "SR-GATE-011").measured,
            "spark2 (198.51.100.12) answers 84 bytes and not 9000");
  EXPECT_EQ(fact_of(report.rails[0], "SR-GATE-011").detail, Detail::kSmallPackets);
  EXPECT_THAT(fact_of(report.rails[0], "SR-GATE-011").peers, ElementsAre("spark2"));
  EXPECT_THAT(fact_of(report.rails[0], "SR-GATE-011").remedy, HasSubstr("MTU"));
}

TEST_F(GateTest, WhereTheOtherRailOfACageAnswersTheCableIsRight) {
  host_.probe().echo_with([](const protocol::EchoRequest& request) {
    return protocol::EchoReport{.whole = request.to != kPeer, .took = {}, .refused = ""};
  });
  const auto report = look();
  const auto& fact = fact_of(report.rails[0], "SR-GATE-011");
  EXPECT_EQ(fact.detail, Detail::kOtherRailAnswers);
  EXPECT_THAT(fact.remedy, AllOf(HasSubstr("so the cable is right: `spark-reconcile gate` there"),
                                 Not(HasSubstr("look at the cable"))));
  host_.probe().echo_with([](const protocol::EchoRequest&) { return protocol::EchoReport{}; });
  EXPECT_EQ(fact_of(look().rails[0], "SR-GATE-011").detail, Detail::kNoAnswer) << "neither does";
}

TEST_F(GateTest, AsksAnExternalHostAndSaysThatItIsNoNode) {
  const auto nas = *IpAddress::parse("203.0.113.50");
  text_ += "external: { nas: { addresses: [203.0.113.50] } }\n";
  EXPECT_EQ(look().verdict(), Verdict::kReady);
  EXPECT_EQ(host_.probe().echoes().size(), 3U);
  host_.probe().echo_with([&](const protocol::EchoRequest& request) {
    return protocol::EchoReport{
        .whole = request.to != nas, .small = false, .took = {}, .refused = ""};
  });
  const auto report = look();
  EXPECT_THAT(closed_by(report), ElementsAre("SR-GATE-011"));
  const auto& fact = fact_of(report.rails[1], "SR-GATE-011");
  EXPECT_THAT(fact.measured, HasSubstr("nas (203.0.113.50) does not answer"));
  EXPECT_THAT(fact.remedy, HasSubstr("no node of the file"));
}

TEST_F(GateTest, AsksNobodyWherePeersAreOff) {
  text_ += "ready: { peers: off }\n";
  static_cast<void>(look());
  EXPECT_THAT(host_.probe().echoes(), IsEmpty());
}

TEST_F(GateTest, AsksNobodyOverARailWithoutCarrier) {
  host_.netlink().set_cable(kRail, false);
  EXPECT_NE(look().rails[0].facts.back().id, "SR-GATE-011");
  EXPECT_EQ(host_.probe().echoes().size(), 1U);
}

TEST_F(GateTest, DoesNotKnowItsPeersWhereItMayNotAsk) {
  host_.probe().refuse_echo({ErrorCode::kPermission, "this process may send no echo"});
  EXPECT_EQ(look().verdict(), Verdict::kReady);
  text_ += "ready: { peers: require }\n";
  EXPECT_EQ(look().verdict(), Verdict::kUnknown);
}

/// spark1 to spark10, on one switch.
std::string ten_on_a_switch() {
  std::string nodes;
  std::string ports;
  for (int number = 1; number <= 10; ++number) {
    nodes += fmt::format("  spark{}: {{ number: {}, management: enP7s7 }}\n", number, number + 10);
    ports += fmt::format("{}spark{}:0", number == 1 ? "" : ", ", number);
  }
  return fmt::format(
      "version: 1\ncluster: rack\nnodes:\n{}fabric:\n  mtu: 9000\n  switches:\n"
      "    - {{ name: rack, ports: [{}], subnets: [198.51.100.0/24, 203.0.113.0/24] }}\n"
      "ready: {{ peers: require }}\n",
      nodes, ports);
}

TEST_F(GateTest, AsksThoseBehindALargeSwitchByTurn) {
  text_ = ten_on_a_switch();
  static_cast<void>(apply());
  const auto report = look();
  const auto echoes = host_.probe().echoes();
  // On each rail: the next two of nine, and two of the rest or, in the last turn, one.
  ASSERT_THAT(echoes.size(), AnyOf(8U, 6U));
  const auto asked = echoes.size() / 2;
  EXPECT_EQ(echoes.front().to, kPeer) << "spark2 follows spark1";
  EXPECT_THAT(fact_of(report.rails[0], "SR-GATE-011").measured,
              HasSubstr(fmt::format("; {} of 9 asked, the others by turn", asked)));
  EXPECT_EQ(report.verdict(), Verdict::kReady);
}

}  // namespace
}  // namespace spark::gate
