#include "config/resolve/resolve.hpp"

#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "config/parse/parse.hpp"

namespace spark::config {
namespace {

constexpr const char* kRing = R"(
version: 1
cluster: ring
nodes:
  a: { number: 11 }
  b: { number: 12 }
  c: { number: 13, match: { hostname: node-c, machine_id: 0123456789abcdef0123456789abcdef } }
fabric:
  mtu: 9000
  cables:
    - { ends: [a:0, b:1], subnets: [192.0.2.0/24, 198.51.100.0/24] }
    - { ends: [c:0, a:1], subnets: [203.0.113.0/24, 10.99.1.0/24], mtu: 4200 }
host:
  sysctl: { net.core.rmem_max: 268435456, net.core.wmem_max: 268435456 }
  hosts: { suffix: -fabric }
  modules: [nvme-tcp]
)";

Cluster parsed_cluster(const std::string& text) {
  const auto parsed = parse(text);
  for (const auto& diagnostic : parsed.diagnostics) {
    EXPECT_NE(diagnostic.severity, Severity::kError) << diagnostic.message;
  }
  return parsed.cluster;
}

Node node_of(const std::string& text, const std::string& name) {
  const auto node = resolve(parsed_cluster(text), name, {});
  EXPECT_TRUE(node) << (node ? "" : node.error().what);
  return node.value_or(Node{});
}

TEST(Resolve, GivesEachRailItsAddressMtuAndState) {
  const auto node = node_of(kRing, "a");
  ASSERT_EQ(node.links.size(), 4U);
  const auto& rail = node.links.at("enP2p1s0f0np0");
  EXPECT_EQ(rail.role, LinkRole::kRail);
  EXPECT_EQ(rail.addresses.at(0).value.text(), "198.51.100.11/24");
  EXPECT_EQ(rail.mtu->value, 9000U);
  EXPECT_TRUE(rail.up->value);
  EXPECT_EQ(rail.link_local->value, LinkLocalMode::kNone);
  EXPECT_EQ(node.links.at("enp1s0f1np1").mtu->value, 4200U);
}

TEST(Resolve, NamesThePeersOfEachRail) {
  const auto node = node_of(kRing, "a");
  std::map<std::string, std::string> peers;
  for (const auto& peer : node.peers) {
    peers[peer.link] = peer.node + " " + peer.ip.text();
  }
  EXPECT_EQ(peers.at("enp1s0f0np0"), "b 192.0.2.12");
  EXPECT_EQ(peers.at("enP2p1s0f1np1"), "c 10.99.1.13");
  EXPECT_EQ(peers.size(), 4U);
}

TEST(Resolve, NamesPeersInHostsByRailZero) {
  const auto node = node_of(kRing, "a");
  ASSERT_TRUE(node.hosts);
  std::set<std::string> lines;
  for (const auto& [ip, name] : node.hosts->value) {
    lines.insert(ip.text() + " " + name);
  }
  EXPECT_EQ(lines, (std::set<std::string>{"192.0.2.12 b-fabric", "203.0.113.13 c-fabric"}));
}

TEST(Resolve, KeepsTheDgxNameOfAnAbsentRail) {
  const auto node = resolve(parsed_cluster(kRing), "a", {{.name = "eth0"}});
  ASSERT_TRUE(node);
  EXPECT_TRUE(node->links.contains("enP2p1s0f1np1"));
}

TEST(Resolve, SaysWhichNodesThereAre) {
  const auto node = resolve(parsed_cluster(kRing), "d", {});
  ASSERT_FALSE(node);
  EXPECT_EQ(node.error().what, "the file has no node 'd'; it has: a, b, c");
}

TEST(Resolve, TakesUnusedCagesDownOnlyWhenAsked) {
  const std::string pair = R"(
version: 1
cluster: pair
nodes: { a: { number: 1 }, b: { number: 2 } }
fabric:
  UNUSED
  cables: [{ ends: [a:1, b:1], subnets: [192.0.2.0/24, 198.51.100.0/24] }]
)";
  auto with = pair;
  with.replace(with.find("UNUSED"), 6, "unused_cages: down");
  auto without = pair;
  without.replace(without.find("UNUSED"), 6, "mtu: 9000");
  EXPECT_FALSE(node_of(without, "a").links.contains("enp1s0f0np0"));
  const auto node = node_of(with, "a");
  EXPECT_EQ(node.links.at("enp1s0f0np0").role, LinkRole::kUnused);
  EXPECT_FALSE(node.links.at("enP2p1s0f0np0").up->value);
}

TEST(MatchNode, TakesTheNameUnlessTheFileSaysMore) {
  const auto cluster = parsed_cluster(kRing);
  EXPECT_EQ(match_node(cluster, "a", ""), "a");
  EXPECT_EQ(match_node(cluster, "c", ""), "");
  EXPECT_EQ(match_node(cluster, "node-c", "0123456789abcdef0123456789abcdef"), "c");
  EXPECT_EQ(match_node(cluster, "node-c", "ffffffffffffffffffffffffffffffff"), "");
}

}  // namespace
}  // namespace spark::config
