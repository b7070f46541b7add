#include "jobs/ways.hpp"

#include <gtest/gtest.h>

namespace spark::jobs {
namespace {

TEST(Ways, HaveTheLinkOfTheOtherEndByTheFile) {
  config::Cluster cluster;
  cluster.nodes["spark2"] = {};
  cluster.nodes["box"].cages[0] = {{"fabric0", {}}};
  config::Node node;
  node.links["enp1s0f0np0"] = {.name = "enp1s0f0np0", .rail = config::Rail{0, 0}};
  const config::Peer spark2{.node = "spark2", .link = "enp1s0f0np0", .cage = 1, .rail = 0};
  const config::Peer box{.node = "box", .link = "enp1s0f0np0", .cage = 0, .rail = 0};
  const config::Peer router{.node = "router", .link = "enp1s0f0np0", .external = true};
  node.peers = {spark2, spark2, box, router};

  const auto ways = ways_of(cluster, node);

  ASSERT_EQ(ways.size(), 3U);  // spark2 has two addresses there
  EXPECT_EQ(ways[0].rail, (config::Rail{0, 0}));
  EXPECT_EQ(ways[0].peer, "spark2");
  EXPECT_EQ(ways[0].peer_link, "enp1s0f1np1");
  EXPECT_EQ(ways[0].peer_rail, (config::Rail{1, 0}));
  EXPECT_EQ(ways[1].peer_link, "fabric0");
  EXPECT_EQ(ways[2].peer, "router");
  EXPECT_EQ(ways[2].peer_rail, std::nullopt);
}

}  // namespace
}  // namespace spark::jobs
