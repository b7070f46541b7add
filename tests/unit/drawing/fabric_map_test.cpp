#include "drawing/fabric_map.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "drawing/map_changes.hpp"
#include "drawing/map_words.hpp"
#include "unit/drawing/maps.hpp"

namespace spark::drawing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kOneCable =
    "  cables:\n    - { ends: [a:0, b:1], subnets: [192.0.2.0/24, 198.51.100.0/24] }\n";

const MapSegment& first_of(const FabricMap& map) { return map.segments.at(0); }

TEST(FabricMap, HasTheAddressesOfBothEndsRailByRail) {
  const auto map = map_with(kOneCable);
  ASSERT_THAT(map.segments, SizeIs(1));
  const auto& cable = first_of(map);
  EXPECT_EQ(name_of(cable), "a:0 ══ b:1");
  EXPECT_EQ(cable.mtu, "9000");
  EXPECT_THAT(cable.subnets, ElementsAre("192.0.2.0/24", "198.51.100.0/24"));
  EXPECT_THAT(cable.ends.at(1).addresses, ElementsAre("192.0.2.2/24", "198.51.100.2/24"));
}

TEST(FabricMap, HasTheCagesWithoutACableToo) {
  EXPECT_THAT(map_with(kOneCable).node("e")->cages, ElementsAre(0, 1));
}

TEST(FabricMap, IsTheSameWhateverTheOrderOfTheFile) {
  const auto one = map_with(
      "  cables:\n    - { ends: [a:0, b:1], subnets: [192.0.2.0/25] }\n"
      "    - { ends: [b:0, c:1], subnets: [192.0.2.128/25] }\n");
  const auto other = map_with(
      "  cables:\n    - { ends: [c:1, b:0], subnets: [192.0.2.128/25] }\n"
      "    - { ends: [b:1, a:0], subnets: [192.0.2.0/25] }\n");
  ASSERT_THAT(other.segments, SizeIs(2));
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(name_of(one.segments[i]), name_of(other.segments[i]));
  }
  EXPECT_THAT(changes_between(one, other), IsEmpty());
}

TEST(FabricMap, SortsNodesByTheirNumbersInTheName) {
  const auto map = map_of(
      "version: 1\ncluster: lab\nnodes:\n  s10: { number: 10 }\n  s2: { number: 2 }\n"
      "fabric:\n  mtu: 9000\n  cables:\n    - { ends: [s10:0, s2:0], subnets: [192.0.2.0/24] }\n");
  EXPECT_EQ(map.nodes.at(0).name, "s2");
  EXPECT_EQ(name_of(first_of(map)), "s2:0 ══ s10:0");
}

TEST(FabricMap, HasASubnetWhereTheFileGivesAddresses) {
  const auto map =
      map_with("  cables:\n    - ends: { a:0: [192.0.2.7/24], b:0: [192.0.2.8/24] }\n");
  EXPECT_THAT(first_of(map).subnets, ElementsAre("192.0.2.0/24"));
}

TEST(FabricMap, HasAHostThatIsNoNodeAtTheFarEndOfItsCable) {
  const auto map =
      map_of(file_with_fabric("  cables:\n    - { ends: [a:0, nas], subnets: [192.0.2.0/24] }\n"
                              "external:\n  nas: { addresses: [192.0.2.9] }\n"));
  EXPECT_EQ(name_of(first_of(map)), "a:0 ══ nas");
  EXPECT_EQ(first_of(map).ends.at(1).addresses.at(0), "192.0.2.9/24");
  EXPECT_TRUE(map.nodes.back().is_external);
}

TEST(MapChanges, MarkACableInAnotherCageAsOneThatCameAndOneThatWent) {
  const auto now =
      map_with("  cables:\n    - { ends: [a:1, b:1], subnets: [192.0.2.0/24, 198.51.100.0/24] }\n");
  const auto changes = changes_between(now, map_with(kOneCable));
  ASSERT_THAT(changes, SizeIs(2));
  EXPECT_EQ(text_of(changes[0]), "- cable a:0 ══ b:1");
  EXPECT_EQ(text_of(changes[1]), "+ cable a:1 ══ b:1");
}

TEST(MapChanges, NameEachValueThatHasChanged) {
  const auto now = map_with(
      "  cables:\n    - { ends: [a:0, b:1], subnets: [192.0.2.0/24, 203.0.113.0/24], mtu: 1500 "
      "}\n");
  const auto changes = changes_between(now, map_with(kOneCable));
  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_EQ(text_of(changes[0]), "~ cable a:0 ══ b:1");
  std::vector<std::string> values;
  for (const auto& value : changes[0].values) values.push_back(text_of(value));
  EXPECT_THAT(values, ElementsAre("~ mtu  1500 (was 9000)",
                                  "~ rail 1  203.0.113.0/24 (was 198.51.100.0/24)",
                                  "~ a:0 rail 1  203.0.113.1/24 (was 198.51.100.1/24)",
                                  "~ b:1 rail 1  203.0.113.2/24 (was 198.51.100.2/24)"));
}

TEST(MapChanges, NameTheRoutesThatCameAndWent) {
  const auto with_route = [](const std::string& to) {
    return map_of(file_with_fabric(kOneCable,
                                   "  f: { links: { eth0: { addresses: [203.0.113.1/24], routes: "
                                   "[{ to: 10.1.0.0/16, via: 203.0.113.2 }, { to: " +
                                       to + " }] } } }\n"));
  };
  const auto changes = changes_between(with_route("10.2.0.0/16"), with_route("10.3.0.0/16"));
  ASSERT_THAT(changes, SizeIs(1));
  std::vector<std::string> values;
  for (const auto& value : changes[0].values) values.push_back(text_of(value));
  EXPECT_THAT(values,
              ElementsAre("+ route  10.2.0.0/16 dev eth0", "- route  10.3.0.0/16 dev eth0"));
  EXPECT_THAT(with_route("10.2.0.0/16").node("f")->routes,
              ElementsAre("10.1.0.0/16 via 203.0.113.2 dev eth0", "10.2.0.0/16 dev eth0"));
}

TEST(MapChanges, SayAllThatARouteHas) {
  const auto with_route = [](const std::string& more) {
    return map_of(file_with_fabric(kOneCable,
                                   "  f: { links: { eth0: { addresses: [203.0.113.1/24], routes: "
                                   "[{ to: 10.1.0.0/16, via: 203.0.113.2" +
                                       more + " }] } } }\n"));
  };
  const auto routed = with_route(", metric: 50, source: 203.0.113.1, mtu: 1400");
  EXPECT_THAT(
      routed.node("f")->routes,
      ElementsAre("10.1.0.0/16 via 203.0.113.2 dev eth0 metric 50 source 203.0.113.1 mtu 1400"));
  EXPECT_THAT(changes_between(routed, with_route(", metric: 50")), SizeIs(1));
}

TEST(MapChanges, NameThePortsOfASwitch) {
  const std::string begin = "  switches:\n    - { name: sw, subnets: [192.0.2.0/24], ports: ";
  const auto changes =
      changes_between(map_with(begin + "[b:0, c:0] }\n"), map_with(begin + "[a:0, b:0] }\n"));
  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_EQ(text_of(changes[0]), "~ switch sw");
  std::vector<std::string> values;
  for (const auto& value : changes[0].values) values.push_back(text_of(value));
  EXPECT_THAT(values, ElementsAre("- port a:0  192.0.2.1/24", "+ port c:0  192.0.2.3/24"));
}

TEST(MapChanges, AreTheSameForAFileAndItself) {
  EXPECT_THAT(changes_between(map_with(kOneCable), map_with(kOneCable)), IsEmpty());
}

TEST(CommonTraits, AreThoseOfAllCables) {
  EXPECT_EQ(common_traits(map_with(kOneCable)).mtu, "9000");
  const auto mixed = map_with(std::string(kOneCable) +
                              "    - { ends: [c:0, d:0], subnets: [203.0.113.0/24], mtu: 1500 }\n");
  EXPECT_EQ(common_traits(mixed).mtu, "");
}

}  // namespace
}  // namespace spark::drawing
