#include "cli/discover/discovered_file.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "cli/discover/picture.hpp"
#include "cli/init/file_parts.hpp"

namespace spark::cli {
namespace {

using protocol::CageState;
using protocol::NodeRecord;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<NodeRecord> nodes_named(const std::vector<std::string>& names) {
  std::vector<NodeRecord> nodes;
  nodes.reserve(names.size());
  for (const auto& name : names) {
    nodes.push_back({.node = name, .run = "run of " + name});
  }
  return nodes;
}

Wiring pair() {
  return {.segments = {{{"spark1", 0}, {"spark2", 1}}},
          .nodes = {"spark1", "spark2"},
          .lonely = {},
          .problems = {}};
}

/// The text; the parser has no error in it.
std::string valid_text(const Wiring& wiring, const std::vector<NodeRecord>& nodes) {
  const auto text = discovered_text(wiring, nodes, {});
  EXPECT_TRUE(text);
  const auto parsed = parse_own_text(*text);
  EXPECT_TRUE(parsed) << parsed.error().what << "\n" << *text;
  return *text;
}

TEST(DiscoveredFile, APair) {
  auto nodes = nodes_named({"spark1", "spark2"});
  nodes[1].lan = "enP7s7";
  EXPECT_THAT(valid_text(pair(), nodes),
              AllOf(HasSubstr("cluster: pair"), HasSubstr("spark1: { number: 1 }"),
                    HasSubstr("spark2: { number: 2, management: enP7s7 }"),
                    HasSubstr("- ends: [spark1:0, spark2:1]\n"
                              "      subnets: [192.168.177.0/24, 192.168.178.0/24]")));
}

TEST(DiscoveredFile, SubnetsClashWithNothingOnAnyNode) {
  auto nodes = nodes_named({"spark1", "spark2"});
  nodes[1].subnets = {*IpPrefix::parse("192.168.177.0/24")};
  const auto text = discovered_text(pair(), nodes, {*IpPrefix::parse("192.168.178.64/26")});
  ASSERT_TRUE(text);
  EXPECT_THAT(*text, HasSubstr("subnets: [192.168.179.0/24, 192.168.180.0/24]"));
}

/// What spark1 has on cage 0, and whom it heard there.
OwnRails rails_of_spark1(std::optional<int> other) {
  return {.node = "spark1",
          .in_use = {{0,
                      {.subnets = {*IpPrefix::parse("192.168.177.0/24"),
                                   *IpPrefix::parse("192.168.178.0/24")},
                       .number = 11,
                       .other = other}}}};
}

TEST(DiscoveredFile, APairKeepsTheSubnetsAndNumbersThatBothEndsHave) {
  auto nodes = nodes_named({"spark1", "spark2"});
  for (auto& node : nodes) {
    node.subnets = {*IpPrefix::parse("192.168.177.0/24"), *IpPrefix::parse("192.168.178.0/24")};
  }
  const auto kept = HasSubstr("subnets: [192.168.177.0/24, 192.168.178.0/24]");
  EXPECT_THAT(*discovered_text(pair(), nodes, {}, rails_of_spark1(12)),
              AllOf(kept, HasSubstr("spark1: { number: 11 }"), HasSubstr("spark2: { number: 12 }"),
                    HasSubstr("already stay there")));
  EXPECT_THAT(*discovered_text(pair(), nodes, {}, rails_of_spark1({})),
              AllOf(kept, HasSubstr("spark1: { number: 11 }"), HasSubstr("spark2: { number: 2 }")));
}

TEST(DiscoveredFile, SubnetsThatTheOtherEndHasNotAreNotKept) {
  const auto text =
      discovered_text(pair(), nodes_named({"spark1", "spark2"}),
                      {*IpPrefix::parse("192.168.177.0/24"), *IpPrefix::parse("192.168.178.0/24")},
                      rails_of_spark1({}));
  EXPECT_THAT(*text, AllOf(HasSubstr("subnets: [192.168.179.0/24, 192.168.180.0/24]"),
                           HasSubstr("spark1: { number: 1 }")));
}

TEST(DiscoveredFile, ARing) {
  const Wiring ring{.segments = {{{"spark1", 0}, {"spark2", 1}},
                                 {{"spark1", 1}, {"spark3", 0}},
                                 {{"spark2", 0}, {"spark3", 1}}},
                    .nodes = {"spark1", "spark2", "spark3"},
                    .lonely = {},
                    .problems = {}};
  EXPECT_THAT(valid_text(ring, nodes_named(ring.nodes)),
              AllOf(HasSubstr("cluster: ring"), HasSubstr("[spark1:1, spark3:0]"),
                    HasSubstr("[192.168.181.0/24, 192.168.182.0/24]"), Not(HasSubstr("switch"))));
}

TEST(DiscoveredFile, ASwitchOfEight) {
  Wiring wiring{.segments = {{}}, .nodes = {}, .lonely = {}, .problems = {}};
  for (int i = 1; i <= 8; ++i) {
    wiring.nodes.push_back(fmt::format("spark{}", i));
    wiring.segments[0].push_back({wiring.nodes.back(), i % 2});
  }
  EXPECT_THAT(valid_text(wiring, nodes_named(wiring.nodes)),
              AllOf(HasSubstr("cluster: switched"), HasSubstr("- name: switch1"),
                    HasSubstr("- spark8:0"), Not(HasSubstr("cables:"))));
}

TEST(DiscoveredFile, NamesThatLookLikeOtherThingsAreQuoted) {
  const Wiring wiring{.segments = {{{"001", 0}, {"yes", 0}}},
                      .nodes = {"001", "yes"},
                      .lonely = {},
                      .problems = {}};
  valid_text(wiring, nodes_named(wiring.nodes));
}

protocol::DiscoverTask own() {
  return {.node = "spark1",
          .run = {},
          .is_founder = true,
          .lan = {},
          .subnets = {},
          .links = {{.name = "enp1s0f0np0", .index = 2, .cage = 0},
                    {.name = "enp1s0f1np1", .index = 3, .cage = 1}}};
}

TEST(Picture, SaysWhichCageLeadsWhereAndWhatHidesOthers) {
  auto wiring = pair();
  wiring.lonely = {{{"spark1", 1}, CageState::kDown}, {{"spark2", 0}, CageState::kDown}};
  const auto text = picture_of(wiring, own());
  EXPECT_THAT(text, AllOf(HasSubstr("2 nodes are here: spark1 and spark2\n"),
                          HasSubstr("  spark1 cage 0 ══ spark2 cage 1\n"),
                          HasSubstr("spark1 cage 1: down, so a cable in it is not seen. Where "
                                    "there is one: sudo ip link set enp1s0f1np1 up\n"),
                          HasSubstr("sudo ip link set LINK up, there\n")));
  wiring.lonely = {{{"spark1", 1}, CageState::kNoCarrier}, {{"spark2", 0}, CageState::kCarrier}};
  EXPECT_THAT(picture_of(wiring, own()),
              AllOf(HasSubstr("spark1 cage 1: no carrier. No cable is in it, or the cage at its "
                              "other end is down"),
                    HasSubstr("spark2 cage 0: a carrier, and nobody is heard")));
  wiring.problems = {"something"};
  EXPECT_THAT(picture_of(wiring, own()), HasSubstr("! something\n"));
}

TEST(Picture, ComparesTheFileWithWhatIsHeard) {
  const auto text = discovered_text(pair(), nodes_named({"spark1", "spark2"}), {});
  const auto parsed = parse_own_text(*text);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(cages_by_file(parsed->cluster, pair(), "spark2"),
            "  cage 1 of spark2 to spark1 cage 0: as it is heard here\n");
  auto other = pair();
  other.segments = {{{"spark1", 0}, {"spark2", 0}}};
  EXPECT_THAT(cages_by_file(parsed->cluster, other, "spark2"),
              HasSubstr("! that is not what is heard here"));
}

TEST(Picture, AFileShowsWhatItHolds) {
  EXPECT_EQ(file_screen("a: 1\n\nb: \x1b[2J\n"), "    a: 1\n\n    b: \\x1b[2J\n");
}

}  // namespace
}  // namespace spark::cli
