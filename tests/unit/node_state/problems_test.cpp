#include "node_state/problems.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diagnosis/kinds.hpp"
#include "gate/checks/checks.hpp"
#include "node_state/node_document.hpp"
#include "node_state/verdict_reason.hpp"
#include "unit/daemon/states.hpp"

namespace spark::node_state {
namespace {

using diagnosis::Problem;
using diagnosis::Rank;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<Problem> problems_in(const std::string& name) {
  return node_state::problems_of(daemon::test_states().at(name), daemon::test_now());
}

std::vector<std::string> root_sentences(const NodeState& state) {
  std::vector<std::string> roots;
  for (const auto& root : diagnosis_of(state, daemon::test_now()).roots) {
    roots.push_back(written(sentence_of(root.problem)));
  }
  return roots;
}

TEST(NodeProblems, OfAHealthyNodeAreNone) {
  EXPECT_THAT(problems_in("ring"), IsEmpty());
  EXPECT_THAT(problems_in("nothing"), IsEmpty());
}

TEST(NodeProblems, AFactAndTheDriftOfItsResourceAreOne) {
  const auto problems = problems_in("contested");
  const auto is_of_mtu = [](const Problem& problem) {
    return problem.found.name == "mtu" && problem.found.link == "enp1s0f0np0";
  };
  ASSERT_EQ(std::ranges::count_if(problems, is_of_mtu), 1);
  const auto& mtu = *std::ranges::find_if(problems, is_of_mtu);
  EXPECT_EQ(mtu.found.id, "SR-GATE-002");
  EXPECT_EQ(mtu.place, "cluster.yaml:17:8");
  EXPECT_EQ(mtu.since, std::chrono::minutes(4));
}

TEST(NodeProblems, OfAnAddressWithoutAFactSayWhichAddress) {
  const auto problems = problems_in("contested");
  const auto address = std::ranges::find(problems, "address",
                                         [](const Problem& problem) { return problem.found.name; });
  ASSERT_NE(address, problems.end());
  EXPECT_EQ(address->found.text(),
            "address of enP2p1s0f0np0: 192.0.2.27: absent, the file says 28 bits");
}

TEST(NodeProblems, WhatIsBesideTheNodeExplainsNothing) {
  auto state = daemon::test_states().at("unproven");
  state.sinks.push_back({.name = "webhook", .error = "refused", .failures = 2});
  state.gid_moves = {
      {daemon::ago(std::chrono::minutes(1)), "enp1s0f1np1", "roce", "192.0.2.43", 3, 5}};
  const auto roots = diagnosis_of(state, daemon::test_now()).roots;
  ASSERT_THAT(roots, SizeIs(3));
  EXPECT_EQ(roots[0].problem.found.id, "SR-GATE-011");
  EXPECT_EQ(rank_of(roots[1].problem), Rank::kAside);
  EXPECT_EQ(rank_of(roots[2].problem), Rank::kAside);
}

TEST(NodeProblems, AnAbsentDeviceExplainsWhatIsSkippedOfIt) {
  const auto diagnosis = diagnosis_of(daemon::test_states().at("waiting"), daemon::test_now());
  ASSERT_THAT(diagnosis.roots, SizeIs(1));
  EXPECT_THAT(diagnosis.roots[0].again, SizeIs(1)) << "the other rail of the cage";
  EXPECT_THAT(diagnosis.roots[0].effects, SizeIs(2));
}

TEST(NodeProblems, AMountThatIsSkippedStillDecidesTheVerdict) {
  auto state = daemon::test_states().at("ring");
  state.verdict = gate::Verdict::kWaiting;
  state.gate->node.push_back(
      about("/data", fails(gate::kMountFact, gate::Verdict::kWaiting, gate::Detail::kSkipped,
                           "the target does not answer", "start the target")));
  state.skipped = {{.kind = "mount",
                    .key = "/data",
                    .why = kinds::Skipped::Why::kWaiting,
                    .id = "SR-NVME-001",
                    .reason = "the target does not answer"}};
  const auto diagnosis = diagnosis_of(state, daemon::test_now());
  ASSERT_THAT(diagnosis.roots, SizeIs(1)) << "the plan skips it for the same reason";
  EXPECT_EQ(rank_of(diagnosis.roots[0].problem), Rank::kNode);
  EXPECT_EQ(decisive_root(state, diagnosis), &diagnosis.roots[0]);
}

TEST(NodeProblems, WhatPreventsAllChangesComesFirst) {
  EXPECT_THAT(root_sentences(daemon::test_states().at("paused")),
              ElementsAre("read links: No buffer space available",
                          "address: 198.51.100.11 is what this ssh session lives on "
                          "[SR-GUARD-002]"));
}

TEST(NodeProblems, AnInterruptedApplyIsTheFirst) {
  auto state = daemon::test_states().at("paused");
  state.unfinished = {.what = "an apply was interrupted", .remedy = "`spark-reconcile apply`"};
  const auto diagnosis = diagnosis_of(state, daemon::test_now());
  ASSERT_THAT(diagnosis.roots, SizeIs(3));
  EXPECT_EQ(diagnosis.roots[0].problem.found.id, "SR-JOURNAL-001");
  EXPECT_EQ(diagnosis.roots[0].problem.remedy.text, "`spark-reconcile apply`");
}

TEST(NodeProblems, AMixedEndIsToldUntilOneFileIsInForce) {
  using all_nodes::Stage;
  NodeState state;
  state.node = "spark1";
  state.file.digest = "d";
  state.all_nodes = all_nodes::Progress{
      .terms = {.id = {}, .origin = "spark2", .by = "alice", .digest = "d", .nodes = {}},
      .why = {},
      .until = {},
      .nodes = {{.node = "spark1", .stage = Stage::kKept, .why = {}, .plan = {}},
                {.node = "spark2", .stage = Stage::kKept, .why = {}, .plan = {}},
                {.node = "spark3", .stage = Stage::kBack, .why = {}, .plan = {}}}};
  const auto diagnosis = diagnosis_of(state, daemon::test_now());
  ASSERT_THAT(diagnosis.roots, SizeIs(1));
  const auto& problem = diagnosis.roots[0].problem;
  EXPECT_EQ(problem.found.id, "SR-ALL-001");
  EXPECT_EQ(problem.found.measured,
            "of the file that alice on spark2 offered to all nodes: kept on spark1 and spark2, "
            "rolled back on spark3");
  EXPECT_FALSE(problem.counts);
  state.file.digest = "another";
  EXPECT_THAT(diagnosis_of(state, daemon::test_now()).roots, IsEmpty());
}

TEST(NodeProblems, AreTheSameForWhoReadsTheDocument) {
  for (const auto& [name, state] : daemon::test_states()) {
    if (name == "hostile") continue;  // what is not UTF-8 is replaced
    const auto read = node_state::node_document_from(node_state::node_document_text(
        {.listen = {.ip = *IpAddress::parse("127.0.0.1"), .port = 9842},
         .boot_id = "b",
         .at = daemon::test_now(),
         .state = state}));
    ASSERT_TRUE(read) << name;
    EXPECT_EQ(root_sentences(read->state), root_sentences(state)) << name;
  }
}

TEST(NodeProblems, TheReasonOfTheVerdictAndItsRemedyAreOfOneRoot) {
  const auto& state = daemon::test_states().at("miswired");
  EXPECT_EQ(written(why_of(state)),
            "cabling of enp1s0f0np0: the cable in spark1:0 leads to spark3:0, the file says to "
            "spark2:0 [SR-GATE-016]");
  EXPECT_EQ(written(remedy_of_verdict(state)), "swap the plugs in spark1:0 and spark1:1");
}

}  // namespace
}  // namespace spark::node_state
