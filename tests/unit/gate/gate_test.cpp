#include "gate/gate.hpp"

#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gate/checks/cabling_check.hpp"
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
  const auto closed = fails(kCablingFact, Verdict::kNotReady, "it leads elsewhere", "swap");
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
