#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/parse/parse.hpp"
#include "config/resolve/nodes.hpp"
#include "config/resolve/resolve.hpp"

namespace spark::config {
namespace {

using ::testing::HasSubstr;

// Two pairs by cables, all four at a switch too.
constexpr const char* kFour = R"(
version: 1
cluster: four
nodes: { spark1: { number: 1 }, spark2: { number: 2 }, spark3: { number: 3 }, spark4: { number: 4 } }
fabric:
  mtu: 9000
  cables:
    - { ends: [spark1:0, spark2:0], subnets: [192.0.2.0/26, 192.0.2.64/26] }
    - { ends: [spark3:0, spark4:0], subnets: [192.0.2.128/26, 192.0.2.192/26] }
  switches:
    - { name: sw, ports: [spark1:1, spark2:1, spark3:1, spark4:1], subnets: [198.51.100.0/24, 203.0.113.0/24] }
)";

constexpr const char* kChain = R"(
version: 1
cluster: chain
nodes: { spark1: { number: 1 }, spark2: { number: 2 }, spark3: { number: 3 } }
fabric:
  cables:
    - { ends: [spark1:0, spark2:0], subnets: [192.0.2.0/24, 198.51.100.0/24] }
    - { ends: [spark2:1, spark3:0], subnets: [203.0.113.0/25, 203.0.113.128/25] }
)";

std::size_t ends_of(const Cluster& cluster) {
  std::size_t count = 0;
  for (const auto& segment : cluster.fabric.segments) count += segment.ends.size();
  return count;
}

TEST(ForJob, HasTheCablesAndPortsBetweenItsNodes) {
  const auto four = parse(kFour).cluster;
  const auto pair = for_job(four, {"spark1", "spark2"});
  ASSERT_TRUE(pair) << pair.error().what;
  EXPECT_EQ(pair->nodes.size(), 2U);
  EXPECT_EQ(ends_of(*pair), 4U) << "the cable, and two ports of the switch";
  const auto across = for_job(four, {"spark1", "spark3"});
  ASSERT_TRUE(across) << across.error().what;
  EXPECT_EQ(ends_of(*across), 2U) << "no cable leads there";
  EXPECT_EQ(ends_of(*for_job(four, {"spark1", "spark2", "spark3", "spark4"})), ends_of(four));
}

TEST(ForJob, IsRefusedWhereNothingJoinsItsNodes) {
  const auto chain = parse(kChain).cluster;
  EXPECT_TRUE(for_job(chain, {"spark1", "spark2"}));
  const auto ends = for_job(chain, {"spark1", "spark3"});
  ASSERT_FALSE(ends);
  EXPECT_THAT(ends.error().what, HasSubstr("no cable or switch of the file joins spark1, spark3"));
  const auto unknown = for_job(chain, {"spark1", "spark9"});
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().what,
              HasSubstr("the file has no node 'spark9'; it has: spark1, spark2, spark3"));
}

TEST(ForJob, WhatLeadsToOthersCountsNoMore) {
  const auto chain = parse(kChain).cluster;
  auto node = *resolve(chain, "spark2", {});
  keep_for_job(node, *resolve(*for_job(chain, {"spark1", "spark2"}), "spark2", {}));
  for (const auto& [name, link] : node.links) EXPECT_EQ(link.rdma, name.contains("f0np0")) << name;
  ASSERT_FALSE(node.peers.empty());
  for (const auto& peer : node.peers) EXPECT_EQ(peer.node, "spark1");
}

}  // namespace
}  // namespace spark::config
