#include "drawing/live_map.hpp"

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "drawing/map_words.hpp"
#include "unit/cluster/clusters.hpp"

namespace spark::drawing {
namespace {

using test::known_pair;
using test::known_ring;
using test::known_ring_of_four;
using test::known_switch;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;

FabricMap live_map(const test::KnownCluster& cluster) {
  auto map = fabric_map(cluster.known.shape);
  add_live(map, cluster.view());
  return map;
}

const MapSegment& cable(const FabricMap& map, const std::string& name) {
  return *std::ranges::find_if(map.segments,
                               [&](const auto& segment) { return name_of(segment) == name; });
}

TEST(LiveMap, HasTheNodesCagesAndCablesOfTheShape) {
  const auto map = fabric_map(known_ring_of_four().known.shape);
  EXPECT_EQ(heading_of(map), "lab · 4 nodes · 4 cables");
  EXPECT_EQ(name_of(map.segments.at(0)), "spark1:0 ══ spark2:1");
  EXPECT_THAT(map.nodes.at(3).cages, ElementsAre(0, 1));
  EXPECT_THAT(fabric_map(known_pair().known.shape).nodes.at(0).cages, ElementsAre(0))
      << "whether the other cage is there, or leads to a host, the shape does not say";
  const auto rack = fabric_map(known_switch().known.shape);
  EXPECT_EQ(heading_of(rack), "rack · 8 nodes · 1 switch");
  EXPECT_EQ(rack.segments.at(0).name, "leaf");
  EXPECT_EQ(rack.segments.at(0).ends.size(), 8U);
}

TEST(LiveMap, OfHealthyNodesIsProvenEverywhere) {
  for (const auto& cluster : {known_pair(), known_ring(), known_ring_of_four()}) {
    const auto map = live_map(cluster);
    EXPECT_EQ(map.known_by, "spark1");
    EXPECT_THAT(map.nodes, Each(Field(&MapNode::live, Live{Mark::kGood, "ready"})));
    for (const auto& segment : map.segments) {
      EXPECT_THAT(segment.live, ElementsAre(Live{Mark::kGood, ""}, Live{Mark::kGood, ""}));
    }
  }
  const auto rack = live_map(known_switch());
  EXPECT_THAT(rack.segments.at(0).ends, Each(Field(&MapEnd::live, Each(Live{Mark::kGood, ""}))));
}

TEST(LiveMap, NamesTheSilentNodeAndLeavesTheOtherCablesProven) {
  auto ring = known_ring();
  ring.goes_silent("spark3");
  const auto map = live_map(ring);
  EXPECT_EQ(map.node("spark3")->live, (Live{Mark::kOpen, "silent"}));
  EXPECT_EQ(cable(map, "spark1:0 ══ spark2:1").mark(), Mark::kGood);
  EXPECT_EQ(cable(map, "spark1:1 ══ spark3:0").mark(), Mark::kOpen);
  EXPECT_EQ(proof_text(cable(map, "spark2:0 ══ spark3:1").live.at(0)), "not proven: silent");
}

TEST(LiveMap, SaysOfEachRailWhyItFails) {
  auto ring = known_ring();
  ring.has_a_small_mtu("spark2");
  const auto small = live_map(ring);
  EXPECT_EQ(small.node("spark2")->live, (Live{Mark::kBad, "not ready"}));
  EXPECT_THAT(cable(small, "spark1:0 ══ spark2:1").live,
              ElementsAre(Live{Mark::kGood, ""}, Live{Mark::kBad, "mtu"}));
  ring = known_ring();
  ring.has_swapped_plugs();
  EXPECT_EQ(proof_text(cable(live_map(ring), "spark1:0 ══ spark2:1").live.at(0)), "fails: cable");
}

TEST(LiveMap, APortOfASwitchIsProvenByAnyOtherNode) {
  auto rack = known_switch();
  rack.goes_silent("spark7");
  const auto map = live_map(rack);
  for (const auto& port : map.segments.at(0).ends) {
    EXPECT_EQ(port.mark(), port.node == "spark7" ? Mark::kOpen : Mark::kGood) << port.node;
  }
}

TEST(LiveMap, APortOfASwitchSaysOfEachRailWhyItFails) {
  auto rack = known_switch();
  rack.has_a_small_mtu("spark2");
  rack.goes_silent("spark7");
  const auto map = live_map(rack);
  for (const auto& port : map.segments.at(0).ends) {
    if (port.node == "spark7") continue;
    if (port.node == "spark2") {
      EXPECT_THAT(port.live, ElementsAre(Live{Mark::kGood, ""}, Live{Mark::kBad, "mtu"}));
      EXPECT_EQ(port.mark(), Mark::kBad);
    } else {
      EXPECT_THAT(port.live, Each(Live{Mark::kGood, ""})) << port.node;
    }
  }
}

TEST(LiveMap, ACableToTheSwitchThatIsOutIsItsOwnPortsAlone) {
  auto rack = known_switch();
  rack.loses_its_switch();
  const auto map = live_map(rack);
  for (const auto& port : map.segments.at(0).ends) {
    EXPECT_THAT(port.live, Each(port.node == "spark1" ? Live{Mark::kBad, "carrier"}
                                                      : Live{Mark::kOpen, "silent"}))
        << port.node;
  }
}

TEST(LiveMap, OverACableWithoutACarrierNothingPassesThoughNobodyWasAsked) {
  auto ring = known_ring();
  ring.loses_the_carrier_to("spark2");
  const auto map = live_map(ring);
  EXPECT_THAT(cable(map, "spark1:0 ══ spark2:1").live, Each(Live{Mark::kBad, "carrier"}));
  EXPECT_EQ(cable(map, "spark1:1 ══ spark3:0").mark(), Mark::kGood);
  // spark3 still hears it.
  EXPECT_EQ(map.node("spark2")->live, (Live{Mark::kGood, "ready"}));
}

TEST(LiveMap, NobodyAskedIsNotProven) {
  auto pair = known_pair();
  pair.set_reach("spark1", "spark2", protocol::Reach::kNotAsked);
  pair.set_reach("spark2", "spark1", protocol::Reach::kNotAsked);
  EXPECT_THAT(live_map(pair).segments.at(0).live, Each(Live{Mark::kOpen, "not known"}));
  pair.set_reach("spark1", "spark2", protocol::Reach::kEcho);
  pair.set_reach("spark2", "spark1", protocol::Reach::kEcho);
  EXPECT_THAT(live_map(pair).segments.at(0).live, Each(Live{Mark::kOpen, "echo only"}));
  pair.known.told.heard.clear();
  EXPECT_EQ(live_map(pair).node("spark2")->live, (Live{Mark::kOpen, "not heard"}));
}

}  // namespace
}  // namespace spark::drawing
