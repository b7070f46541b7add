#include "cli/discover/wiring.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace spark::cli {
namespace {

using protocol::CageEnd;
using protocol::CageState;
using protocol::NodeRecord;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Ends = std::vector<CageEnd>;

/// A node with two cages, of which each hears these.
NodeRecord node_of(const std::string& name, const Ends& cage_0, const Ends& cage_1 = {}) {
  const auto state = [](const Ends& ends) {
    return ends.empty() ? CageState::kNoCarrier : CageState::kCarrier;
  };
  NodeRecord node{.node = name, .run = "run of " + name};
  node.cages = {{.cage = 0, .state = state(cage_0), .hears = cage_0},
                {.cage = 1, .state = state(cage_1), .hears = cage_1}};
  return node;
}

/// From cage 0 of each to cage 1 of the next.
std::vector<NodeRecord> ring_of(int count) {
  std::vector<NodeRecord> nodes;
  nodes.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    nodes.push_back(node_of(fmt::format("spark{}", i + 1),
                            {{fmt::format("spark{}", (i + 1) % count + 1), 1}},
                            {{fmt::format("spark{}", (i + count - 1) % count + 1), 0}}));
  }
  return nodes;
}

/// Cage 0 of each at one switch.
std::vector<NodeRecord> switch_of(int count) {
  std::vector<NodeRecord> nodes;
  for (int i = 1; i <= count; ++i) {
    Ends hears;
    for (int other = 1; other <= count; ++other) {
      if (other != i) hears.push_back({fmt::format("spark{}", other), 0});
    }
    nodes.push_back(node_of(fmt::format("spark{}", i), hears));
  }
  return nodes;
}

TEST(Wiring, TwoEndsThatHearEachOtherAreACable) {
  const auto wiring =
      wiring_of({node_of("spark2", {}, {{"spark1", 0}}), node_of("spark1", {{"spark2", 1}})});
  EXPECT_THAT(wiring.segments, ElementsAre(Ends{{"spark1", 0}, {"spark2", 1}}));
  EXPECT_THAT(wiring.nodes, ElementsAre("spark1", "spark2"));
  EXPECT_THAT(wiring.problems, IsEmpty());
  EXPECT_TRUE(wiring.is_whole());
  EXPECT_THAT(wiring.lonely, ElementsAre(LonelyCage{{"spark1", 1}, CageState::kNoCarrier},
                                         LonelyCage{{"spark2", 0}, CageState::kNoCarrier}));
}

TEST(Wiring, TwoCablesBetweenTwoNodes) {
  const auto wiring = wiring_of({node_of("spark1", {{"spark2", 0}}, {{"spark2", 1}}),
                                 node_of("spark2", {{"spark1", 0}}, {{"spark1", 1}})});
  EXPECT_THAT(wiring.segments,
              ElementsAre(Ends{{"spark1", 0}, {"spark2", 0}}, Ends{{"spark1", 1}, {"spark2", 1}}));
  EXPECT_TRUE(wiring.is_whole());
}

TEST(Wiring, RingsOfThreeAndFour) {
  EXPECT_THAT(wiring_of(ring_of(3)).segments,
              ElementsAre(Ends{{"spark1", 0}, {"spark2", 1}}, Ends{{"spark1", 1}, {"spark3", 0}},
                          Ends{{"spark2", 0}, {"spark3", 1}}));
  const auto four = wiring_of(ring_of(4));
  EXPECT_EQ(four.segments.size(), 4U);
  EXPECT_TRUE(four.is_whole());
  EXPECT_THAT(four.lonely, IsEmpty());
}

TEST(Wiring, ManyEndsThatAllHearEachOtherAreASwitch) {
  const auto wiring = wiring_of(switch_of(4));
  EXPECT_THAT(wiring.segments,
              ElementsAre(Ends{{"spark1", 0}, {"spark2", 0}, {"spark3", 0}, {"spark4", 0}}));
  EXPECT_TRUE(wiring.is_whole());
}

TEST(Wiring, ASwitchOnWhichOneDoesNotHearAllIsNotWhole) {
  auto nodes = switch_of(3);
  std::erase(nodes[0].cages[0].hears, CageEnd{"spark3", 0});
  std::erase(nodes[2].cages[0].hears, CageEnd{"spark1", 0});
  const auto wiring = wiring_of(nodes);
  EXPECT_THAT(wiring.problems, ElementsAre("spark1:0, spark2:0 and spark3:0 do not all hear each "
                                           "other, so far"));
  EXPECT_FALSE(wiring.is_whole());
}

TEST(Wiring, WhatOneEndAloneHearsIsNoCable) {
  const auto wiring = wiring_of({node_of("spark1", {{"spark2", 0}}), node_of("spark2", {})});
  EXPECT_THAT(wiring.segments, IsEmpty());
  EXPECT_FALSE(wiring.is_whole());
  EXPECT_THAT(wiring.problems, Contains("spark1:0 hears spark2:0, and not the reverse, so far"));
}

TEST(Wiring, ANodeThatTellsNothingOfItselfIsNotPassedOver) {
  const auto wiring = wiring_of(
      {node_of("spark1", {{"spark2", 0}}, {{"spark9", 0}}), node_of("spark2", {{"spark1", 0}})});
  EXPECT_THAT(wiring.problems, ElementsAre("spark1:1 hears spark9:0, and not the reverse, so far"));
}

TEST(Wiring, ANodeWithoutACableIsNotPassedOver) {
  const auto wiring = wiring_of({node_of("spark1", {{"spark2", 0}}),
                                 node_of("spark2", {{"spark1", 0}}), node_of("spark3", {})});
  EXPECT_THAT(wiring.problems, ElementsAre("no cable of spark3 is heard, so far"));
}

TEST(Wiring, AloneThereIsNothingToWrite) {
  const auto wiring = wiring_of({node_of("spark1", {})});
  EXPECT_THAT(wiring.problems, IsEmpty());
  EXPECT_FALSE(wiring.is_whole());
  EXPECT_FALSE(wiring_of({}).is_whole());
}

TEST(Wiring, ALoopIsSaidOnce) {
  const auto wiring = wiring_of({node_of("spark1", {{"spark1", 1}}, {{"spark1", 0}})});
  EXPECT_THAT(wiring.segments, IsEmpty());
  EXPECT_THAT(wiring.problems, ElementsAre(HasSubstr("cages 0 and 1 of spark1 are joined to each "
                                                     "other: plug one end into another node")));
}

TEST(Wiring, BothCagesOfANodeAtOneSwitch) {
  auto nodes = switch_of(3);
  nodes[0].cages[0].hears.push_back({"spark1", 1});
  nodes[0].cages[1].hears = {{"spark1", 0}, {"spark2", 0}, {"spark3", 0}};
  nodes[1].cages[0].hears.push_back({"spark1", 1});
  nodes[2].cages[0].hears.push_back({"spark1", 1});
  EXPECT_THAT(wiring_of(nodes).problems,
              Contains(HasSubstr("at a switch, one cage of a node is enough")));
}

TEST(Wiring, TwoMachinesOfOneNameAreAProblemWithItsRemedy) {
  auto other = node_of("spark1", {{"spark1", 0}});
  other.run = "another";
  const auto wiring = wiring_of({node_of("spark1", {{"spark1", 0}}), other});
  EXPECT_THAT(wiring.problems, Contains(AllOf(HasSubstr("2 machines are called spark1"),
                                              HasSubstr("hostnamectl set-hostname"))));
  EXPECT_FALSE(wiring.is_whole());
}

TEST(Wiring, ANameThatNoNodeCanHaveIsAProblem) {
  const auto wiring =
      wiring_of({node_of("a.yaml", {{"spark1", 0}}), node_of("spark1", {{"a.yaml", 0}})});
  EXPECT_THAT(wiring.problems, ElementsAre(HasSubstr("no node of a file can be called a.yaml")));
}

TEST(Wiring, TwoFoundersAreAProblem) {
  auto nodes = ring_of(3);
  nodes[0].is_founder = true;
  nodes[2].is_founder = true;
  EXPECT_THAT(wiring_of(nodes).problems,
              ElementsAre(HasSubstr("spark1 and spark3 run `init --discover`")));
}

TEST(Wiring, MoreThanEightNodesAreForInitSwitch) {
  EXPECT_THAT(wiring_of(switch_of(9)).problems, Contains(HasSubstr("init --switch 9")));
  EXPECT_TRUE(wiring_of(switch_of(8)).is_whole());
}

}  // namespace
}  // namespace spark::cli
