#include "gate/gate.hpp"

#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/json_document.hpp"
#include "gate/checks/checks.hpp"
#include "unit/gate/gate_world.hpp"

namespace spark::gate {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(GateTest, IsOpenWhenEveryFactHolds) {
  const auto report = look();
  EXPECT_THAT(closed_by(report), IsEmpty());
  EXPECT_EQ(report.exit_code(), ExitCode::kDone);
  ASSERT_EQ(report.rails.size(), 2U);
  EXPECT_EQ(report.rails[0].device, kDevice);
  EXPECT_EQ(host_.probe().requests().size(), 2U);
}

TEST_F(GateTest, KeepsWhatALightLookLeavesOut) {
  text_ += "ready: { loopback: { minimum: 98Gb/s } }\n";
  const auto first = look();
  auto second = look({.depth = GateOptions::Depth::kLight});
  EXPECT_EQ(second.verdict(), Verdict::kReady);
  EXPECT_EQ(host_.probe().registrations().size(), 1U);
  EXPECT_TRUE(keep_measured(first, second));
  EXPECT_EQ(second.node.back().id, "SR-GATE-015");
  EXPECT_THAT(closed_by(second), ElementsAre("SR-GATE-009", "SR-GATE-009"));
}

TEST_F(GateTest, TakesOverWhatTheDaemonFoundOutAboutACable) {
  const auto closed =
      fails(kCablingFact, Verdict::kNotReady, Detail::kWrongEnd, "it leads elsewhere", "swap");
  const auto alone = holds(kOneHostFact, "no other host answers");
  GateReport of_daemon;
  of_daemon.rails.push_back(
      {.link = kRail, .device = "", .ip = kAddress.ip, .facts = {closed, alone}});
  auto proven = look();
  keep_cabling(of_daemon, proven);
  EXPECT_EQ(proven.verdict(), Verdict::kReady) << "the right peer answers now";
  host_.probe().echo_with([](const auto&) { return protocol::EchoReport{}; });
  auto open = look();
  EXPECT_EQ(open.verdict(), Verdict::kReady);
  keep_cabling(of_daemon, open);
  EXPECT_EQ(fact_of(open.rails[0], "SR-GATE-016").measured, "it leads elsewhere");
  EXPECT_EQ(fact_of(open.rails[0], "SR-GATE-017").measured, "no other host answers");
  EXPECT_EQ(open.verdict(), Verdict::kNotReady);
  host_.netlink().set_cable(kRail, false);
  auto out = look();
  keep_cabling(of_daemon, out);
  EXPECT_EQ(std::ranges::find(out.rails[0].facts, "SR-GATE-016", &Fact::id),
            out.rails[0].facts.end())
      << "without a carrier nothing is known";
}

TEST(FactKinds, StandInTheManual) {
  std::ifstream file(SPARK_SOURCE_DIR "/docs/explain/gate.md");
  const std::string manual(std::istreambuf_iterator<char>(file), {});
  constexpr std::size_t kColumns = 9;  // of names, in what `gate` prints
  std::set<std::string_view> ids;
  for (const auto& kind : fact_kinds()) {
    EXPECT_THAT(manual, HasSubstr(fmt::format("\n| {} | {} | ", kind.id, kind.name)));
    EXPECT_TRUE(ids.insert(kind.id).second) << kind.id;
    EXPECT_LE(kind.name.size(), kColumns) << kind.name;
  }
}

TEST_F(GateTest, EachFailingFactHasADetail) {
  const auto detail_of = [this](const char* id) {
    const auto report = look();
    return fact_of(report.rails[0], id).detail;
  };
  EXPECT_EQ(detail_of("SR-GATE-001"), std::nullopt);
  host_.probe().echo_with([](const auto&) { return protocol::EchoReport{}; });
  EXPECT_EQ(detail_of("SR-GATE-011"), Detail::kNoAnswer);
  EXPECT_EQ(detail_of("SR-GATE-016"), Detail::kUnproven);
  host_.rdma().lose_gid(kAddress.ip);
  EXPECT_EQ(detail_of("SR-GATE-005"), Detail::kAbsent);
  ASSERT_TRUE(host_.netlink().set_mtu(kRail, 4500));
  EXPECT_EQ(detail_of("SR-GATE-002"), Detail::kDiffers);
  EXPECT_EQ(fact_of(look().rails[0], "SR-GATE-002").action, protocol::Action::kApply);
  host_.netlink().remove_foreign(kRail, kAddress);
  EXPECT_EQ(detail_of("SR-GATE-003"), Detail::kAbsent);
  host_.netlink().set_cable(kRail, false);
  EXPECT_EQ(detail_of("SR-GATE-001"), Detail::kOtherCage);
  EXPECT_EQ(fact_of(look().rails[0], "SR-GATE-001").plug, Plug(node().name, 1));
  for (const auto* link : {"enp1s0f1np1", "enP2p1s0f1np1"}) host_.netlink().set_cable(link, false);
  EXPECT_EQ(detail_of("SR-GATE-001"), Detail::kNoCarrier);
  EXPECT_EQ(detail_of("SR-GATE-004"), Detail::kDown);
  host_.netlink().unplug(kRail);
  EXPECT_EQ(detail_of("SR-GATE-001"), Detail::kAbsent);
}

TEST_F(GateTest, TheFieldsOfAFactComeBackFromJson) {
  auto fact = about("/data", fails_until_apply(kCablingFact, Detail::kSwitchBetween, "seen"));
  fact.peers = {"spark2", "spark3"};
  fact.plug = {"spark3", 1};
  fact.macs = {"02:00:00:00:00:01"};
  GateReport report;
  report.node = {fact, holds(kOneHostFact, "no other host answers")};
  const auto json = to_json(report);
  EXPECT_EQ(json["facts"][0]["detail"], "switch_between");
  EXPECT_EQ(json["facts"][0]["action"], "apply");
  for (const auto* name : {"subject", "detail", "peers", "plug", "macs", "action"}) {
    EXPECT_FALSE(json["facts"][1].contains(name)) << name << " of a fact that holds";
  }
  const auto read = value_from<GateReport>(json);
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->node[0].subject, "/data");
  EXPECT_EQ(read->node[0].detail, Detail::kSwitchBetween);
  EXPECT_THAT(read->node[0].peers, ElementsAre("spark2", "spark3"));
  EXPECT_EQ(read->node[0].plug, fact.plug);
  EXPECT_EQ(read->node[0].macs, fact.macs);
  EXPECT_EQ(read->node[0].action, protocol::Action::kApply);
}

TEST(ProblemsOfAGate, AreWhatDoesNotHoldAndTheReasonsWhatCountsTheWorstFirst) {
  const auto fact = [](Verdict verdict, bool counts, const std::string& measured) {
    auto made = fails(kPeersFact, verdict, Detail::kNoAnswer, measured, "");
    made.counts = counts;
    made.peers = {"spark2"};
    return made;
  };
  GateReport report;
  report.rails.push_back(
      {.link = kRail,
       .device = "",
       .ip = kAddress.ip,
       .facts = {holds(kPeersFact, "it answers"), fact(Verdict::kUnknown, true, "unknown"),
                 fact(Verdict::kUnknown, false, "unknown, and does not count"),
                 fact(Verdict::kNotReady, false, "does not count")}});
  report.node = {about("/data", fact(Verdict::kNotReady, true, "not ready"))};
  const auto texts = [](const std::vector<protocol::Problem>& problems) {
    std::vector<std::string> all;
    for (const auto& problem : problems) all.push_back(problem.measured);
    return all;
  };
  EXPECT_TRUE(is_wrong(fact(Verdict::kUnknown, true, "")));
  EXPECT_FALSE(is_wrong(fact(Verdict::kUnknown, false, ""))) << "it is not known yet";
  EXPECT_TRUE(is_wrong(fact(Verdict::kNotReady, false, "")));
  const auto reasons = reasons_of(report);
  EXPECT_THAT(texts(reasons), ElementsAre("not ready", "unknown"));
  EXPECT_EQ(report.why(), "peers: not ready [SR-GATE-011]");
  const protocol::Problem expected{.id = "SR-GATE-011",
                                   .name = "peers",
                                   .detail = Detail::kNoAnswer,
                                   .link = "",
                                   .subject = "/data",
                                   .peers = {"spark2"},
                                   .measured = "not ready"};
  EXPECT_EQ(reasons.at(0), expected);
  EXPECT_EQ(reasons.at(1).link, kRail);
}

TEST_F(GateTest, ReportsNoFactThatIsInNoRow) {
  std::set<std::string> known;
  for (const auto& kind : fact_kinds()) known.emplace(kind.id);
  const auto report = look();
  for (const auto& rail : report.rails) {
    for (const auto& fact : rail.facts) EXPECT_TRUE(known.contains(fact.id)) << fact.id;
  }
  for (const auto& fact : report.node) EXPECT_TRUE(known.contains(fact.id)) << fact.id;
}

}  // namespace
}  // namespace spark::gate
