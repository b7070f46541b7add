#include "node_state/node_summary.hpp"

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gate/checks/checks.hpp"
#include "node_state/problems.hpp"
#include "unit/daemon/states.hpp"

namespace spark::node_state {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

NodeSummary summary_of(const std::string& name) {
  return node_state::summary_of(daemon::test_states().at(name), daemon::test_now());
}

std::vector<std::string> texts_of(const Fault& fault) {
  std::vector<std::string> texts;
  texts.reserve(fault.lines.size());
  for (const auto& line : fault.lines) texts.push_back(written(line));
  return texts;
}

const Fault* fault_that_says(const NodeSummary& summary, const std::string& what) {
  for (const auto& fault : summary.others) {
    for (const auto& text : texts_of(fault)) {
      if (text.find(what) != std::string::npos) return &fault;
    }
  }
  return nullptr;
}

TEST(NodeSummary, OfAReadyNodeSaysWhatIsProven) {
  const auto ring = summary_of("ring");
  EXPECT_EQ(written(ring.sentence),
            "spark1 is ready: 2 cables proven, 4 rails carry RDMA. Nothing differs.");
  EXPECT_FALSE(ring.lead);
  EXPECT_THAT(ring.others, IsEmpty());
  EXPECT_EQ(written(summary_of("ready").sentence),
            "spark1 is ready: 1 cable proven, 2 rails carry RDMA. Nothing differs.");
}

TEST(NodeSummary, CountsACableOfWhichNobodyAnsweredAsNotProven) {
  const auto summary = summary_of("unproven");
  EXPECT_EQ(written(summary.sentence),
            "spark1 is ready: 1 of 2 cables proven, 4 rails carry RDMA. 1 thing needs attention.");
  ASSERT_EQ(summary.others.size(), 1U);
  EXPECT_EQ(summary.others[0].state, "not proven") << "not ready is another state of a ready node";
}

TEST(NodeSummary, NamesTheFaultThatDecides) {
  const auto summary = summary_of("contested");
  EXPECT_EQ(written(summary.sentence),
            "spark1 is not ready: mtu of enp1s0f0np0: 1500, the file says 9000.");
  ASSERT_TRUE(summary.lead);
  EXPECT_EQ(summary.lead->id, "SR-GATE-002");
  EXPECT_THAT(summary.lead->why, HasSubstr("/etc/netplan/40-cx7.yaml:5"))
      << "the drift and the fact are one fault";
  EXPECT_EQ(summary.lead->place, "cluster.yaml:17:8");
}

TEST(NodeSummary, TheDriftOfAMountAndItsFactAreOneFault) {
  auto state = daemon::test_states().at("ring");
  state.gate->node.push_back(
      about("/data", gate::fails_until_apply(gate::kMountFact, gate::Detail::kAbsent, "absent")));
  const Drift drift{.kind = "mount",
                    .key = "/data",
                    .state = Drift::State::kFailed,
                    .have = {},
                    .want = "ext4",
                    .why = "mount: No such device"};
  state.drifts = {drift};
  const auto summary = node_state::summary_of(state, daemon::test_now());
  ASSERT_EQ(summary.others.size(), 1U);
  EXPECT_EQ(summary.others[0].why, drift.why);
  EXPECT_EQ(summary.others[0].id, gate::kMountFact.id);
}

TEST(NodeSummary, OfSwappedPlugsIsOneFaultWithOneRemedy) {
  const auto summary = summary_of("miswired");
  ASSERT_TRUE(summary.lead);
  EXPECT_THAT(
      texts_of(*summary.lead),
      ElementsAre("cabling of enp1s0f0np0 and enP2p1s0f0np0: the cable in spark1:0 leads to "
                  "spark3:0, the file says to spark2:0",
                  "cabling of enp1s0f1np1 and enP2p1s0f1np1: the cable in spark1:1 leads to "
                  "spark2:0, the file says to spark3:0"));
  EXPECT_EQ(summary.lead->remedy, "swap the plugs in spark1:0 and spark1:1");
  EXPECT_THAT(summary.others, IsEmpty()) << "peers that do not answer follow from it";
}

TEST(NodeSummary, OfAnAbsentDeviceCountsWhatFollows) {
  const auto summary = summary_of("waiting");
  ASSERT_TRUE(summary.lead);
  EXPECT_THAT(texts_of(*summary.lead),
              ElementsAre("link of enp1s0f0np0 and enP2p1s0f0np0: no such device"));
  EXPECT_EQ(summary.lead->follow, 2U) << "both skipped links";
  EXPECT_THAT(summary.others, IsEmpty());
}

TEST(NodeSummary, SaysThatItIsPausedAndWhatTheLastPassFailedWith) {
  const auto summary = summary_of("paused");
  EXPECT_EQ(written(summary.sentence),
            "spark1 is ready and paused until 2031-04-05 06:28:08 UTC: 2 cables proven, 4 rails "
            "carry RDMA. 2 things need attention.");
  EXPECT_TRUE(fault_that_says(summary, "No buffer space available"));
  EXPECT_TRUE(fault_that_says(summary, "SR-GUARD-002"));
}

TEST(NodeSummary, OfAReleasedNodeSaysByWhom) {
  auto state = daemon::test_states().at("ring");
  state.released = Released{"2031-04-05 05:00:00 UTC", "ada"};
  state.file.waits = true;
  EXPECT_EQ(written(node_state::summary_of(state, daemon::test_now()).sentence),
            "spark1 is released at 2031-04-05 05:00:00 UTC by ada: nothing is set until "
            "`spark-reconcile apply` or `resume`. A new file waits until then.");
}

TEST(NodeSummary, BeforeAFileIsInForceSaysSo) {
  EXPECT_EQ(written(summary_of("nothing").sentence), "No cluster file has been in force yet.");
}

TEST(NodeSummary, AReceiverThatFailsAndAMovedGidNeedAttention) {
  const auto summary = summary_of("contested");
  const auto* sink = fault_that_says(summary, "alerts do not reach");
  ASSERT_TRUE(sink);
  EXPECT_FALSE(sink->is_bad) << "the node can be ready all the same";
  const auto* gid = fault_that_says(summary, "moved from index 3 to 5");
  ASSERT_TRUE(gid);
  EXPECT_THAT(gid->remedy, HasSubstr("restart the jobs"));
}

TEST(NodeSummary, AChangeThatWaitsForAJobSaysOnWhichRail) {
  const auto summary = summary_of("contested");
  const auto* wait = fault_that_says(summary, "mtu of enp1s0f1np1: 9000, the file says 4000");
  ASSERT_NE(wait, nullptr);
  EXPECT_EQ(wait->state, "waits for a job");
  EXPECT_EQ(wait->why, "a job uses rail 0 of cage 1 (enp1s0f1np1)");
  EXPECT_FALSE(wait->is_bad);
}

TEST(NodeSummary, ShowsEachRootOnceWithItsRemedy) {
  for (const auto& [name, state] : daemon::test_states()) {
    if (name == "huge") continue;  // it has the same rails twice
    auto summary = node_state::summary_of(state, daemon::test_now());
    if (summary.lead) summary.others.push_back(*summary.lead);
    for (const auto& root : diagnosis_of(state, daemon::test_now()).roots) {
      const auto& found = root.problem.found;
      const auto is_it = [&](const Fault& fault) {
        return fault.id == found.id && fault.remedy == written(text_of(root.problem.remedy)) &&
               std::ranges::any_of(texts_of(fault), [&](const std::string& line) {
                 return line.ends_with(found.measured);
               });
      };
      EXPECT_EQ(std::ranges::count_if(summary.others, is_it), 1) << name << ": " << found.text();
    }
  }
}

TEST(NodeSummary, WhatTheFileDoesNotEnforceIsNoFault) {
  auto state = daemon::test_states().at("ring");
  state.skipped = {{"mtu", "enp1s0f0np0", kinds::Skipped::Why::kNotEnforced, "SR-LINK-009",
                    "the policy says so"}};
  EXPECT_THAT(node_state::summary_of(state, daemon::test_now()).others, IsEmpty());
}

}  // namespace
}  // namespace spark::node_state
