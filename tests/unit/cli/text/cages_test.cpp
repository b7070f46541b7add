#include "cli/text/cages.hpp"

#include <string>

#include <gtest/gtest.h>

namespace spark::cli {
namespace {

/// Cage 0 on a cable, cage 1 on a switch, and a link beside them.
config::Node node_with_two_cages() {
  config::Node node;
  node.links["enP2p1s0f0np0"] = {
      .name = "enP2p1s0f0np0", .rail = config::Rail{0, 1}, .where = {.line = 7, .column = 3}};
  node.links["enp1s0f0np0"] = {
      .name = "enp1s0f0np0", .rail = config::Rail{0, 0}, .where = {.line = 7, .column = 3}};
  node.links["enp1s0f1np1"] = {
      .name = "enp1s0f1np1", .rail = config::Rail{1, 0}, .where = {.line = 9, .column = 3}};
  node.links["lan"] = {.name = "lan", .where = {.line = 4, .column = 3}};
  const auto ip = *IpAddress::parse("192.0.2.2");
  node.peers.push_back({.node = "spark2", .ip = ip, .link = "enp1s0f0np0", .cage = 1});
  for (const auto* peer : {"spark2", "spark3"}) {
    node.peers.push_back(
        {.node = peer, .ip = ip, .link = "enp1s0f1np1", .cage = 1, .segment = "sw"});
  }
  return node;
}

TEST(GroupedLinks, HaveRailZeroFirst) {
  const auto groups = grouped_links(node_with_two_cages(), {"gone"});
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].links, (std::vector<std::string>{"enp1s0f0np0", "enP2p1s0f0np0"}));
  EXPECT_EQ(groups[2].links, (std::vector<std::string>{"gone", "lan"}));
}

TEST(TitleOfCage, NamesTheOtherEnd) {
  auto node = node_with_two_cages();
  const auto groups = grouped_links(node);
  EXPECT_EQ(title_of(groups[0], node), "cage 0 ══ spark2 cage 1");
  EXPECT_EQ(title_of(groups[1], node), "cage 1 ══ switch sw, 2 peers");
  EXPECT_EQ(title_of(groups[2], node), "other links");
  node.peers.clear();
  EXPECT_EQ(title_of(groups[0], node), "cage 0");
  node.links["enp1s0f0np0"].role = config::LinkRole::kUnused;
  EXPECT_EQ(title_of(groups[0], node), "cage 0, unused");
}

TEST(LinksText, CallsBothRailsOfACageBoth) {
  const auto node = node_with_two_cages();
  EXPECT_EQ(links_text({"enp1s0f0np0", "enP2p1s0f0np0"}, node), "both rails of cage 0");
  EXPECT_EQ(links_text({"enP2p1s0f0np0", "lan"}, node), "rail 1 of cage 0 and lan");
}

TEST(PlaceOfCage, IsTheLineThatAllItsLinksHave) {
  const auto node = node_with_two_cages();
  const auto groups = grouped_links(node, {"gone"});
  EXPECT_EQ(place_of(groups[0], node).line, 7);
  EXPECT_EQ(place_of(groups[2], node).line, 0) << "one of them is not in the file";
}

TEST(LinkHead, StandsAloneOnANarrowTerminal) {
  const auto node = node_with_two_cages();
  EXPECT_EQ(link_head(node, "enp1s0f0np0", 13, 80), "  rail 0  enp1s0f0np0    ");
  EXPECT_EQ(link_head(node, "enp1s0f0np0", 13, 60), "  rail 0  enp1s0f0np0\n    ");
  EXPECT_EQ(link_head(node, "lan", 3, 80), "  lan  ");
}

}  // namespace
}  // namespace spark::cli
