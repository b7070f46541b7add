#include "config/resolve/resolve.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

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

constexpr const char* kStorageHost = R"(
version: 1
cluster: lab
nodes:
  a: { number: 11 }
  b: { number: 12, ready: { peers: off, key_file: /etc/b.key }, environment: { variables: { UCX_TLS: rc } } }
  x: { number: 13, cages: { 0: [ens1f0np0], 5: [ens2f0np0] } }
external:
  nas: { addresses: [192.0.2.50, 198.51.100.50] }
  disks: { addresses: [198.18.1.50] }
fabric:
  mtu: 9000
  unused_cages: down
  cables:
    - { ends: [a:1, disks], subnets: [198.18.1.0/24, 198.18.2.0/24] }
    - { ends: [b:1, x:5], subnets: [10.99.1.0/24, 10.99.2.0/24] }
  switches:
    - { name: sw, ports: [a:0, b:0, x:0], subnets: [192.0.2.0/24, 198.51.100.0/24] }
ready: { storage: require, loopback: { minimum: 64Gb/s }, key_file: /etc/all.key }
environment: { nccl: { mode: performance }, variables: { UCX_TLS: sm }, extra: { GLOO_X: 1 } }
)";

std::string with_addresses_of_disks(std::string text) {
  return text.replace(text.find("[198.18.1.50]"), 13, "[198.18.1.50, 198.18.2.50]");
}

const std::string kFabric = with_addresses_of_disks(kStorageHost);

TEST(Resolve, GivesACageWithOneRailTheFirstSubnet) {
  const auto node = node_of(kFabric, "x");
  ASSERT_EQ(node.links.size(), 2U);
  EXPECT_EQ(node.links.at("ens1f0np0").addresses.at(0).value.text(), "192.0.2.13/24");
  EXPECT_EQ(node.links.at("ens2f0np0").rail, (Rail{5, 0}));
  EXPECT_EQ(node.links.at("ens2f0np0").addresses.at(0).value.text(), "10.99.1.13/24");
}

/// Two machines with sixteen ports, one device behind each, joined port by port.
std::string two_with_sixteen_cages() {
  std::string cages;
  std::string cables;
  for (int cage = 0; cage < 16; ++cage) {
    const auto number = std::to_string(cage);
    cages += (cage == 0 ? "" : ", ") + number + ": [eth" + number + "]";
    cables += "    - { ends: [dgx1:" + number + ", dgx2:" + number + "], subnets: [198.18." +
              number + ".0/24] }\n";
  }
  return "version: 1\ncluster: big\nnodes:\n  dgx1: { number: 1, cages: { " + cages +
         " } }\n  dgx2: { number: 2, cages: { " + cages +
         " } }\nfabric:\n  mtu: 9000\n  cables:\n" + cables;
}

TEST(Resolve, TakesTheCages0To15OfOtherHardware) {
  // By what the kernel says each device is port 0 of a card of its own: the file knows better.
  std::vector<Netdev> devices;
  for (int cage = 0; cage < 16; ++cage) {
    const auto number = std::to_string(cage);
    devices.push_back({.name = "eth" + number,
                       .phys_switch_id = "card" + number,
                       .phys_port_name = "p0",
                       .pci_address = "00" + std::to_string(10 + cage) + ":01:00.0"});
  }
  const auto node = resolve(parsed_cluster(two_with_sixteen_cages()), "dgx1", devices);
  ASSERT_TRUE(node) << node.error().what;
  ASSERT_EQ(node->links.size(), 16U);
  for (int cage = 0; cage < 16; ++cage) {
    const auto number = std::to_string(cage);
    const auto& link = node->links.at("eth" + number);
    EXPECT_EQ(link.rail, (Rail{cage, 0}));
    EXPECT_EQ(link.addresses.at(0).value.text(), "198.18." + number + ".1/24");
    EXPECT_EQ(link.mtu->value, 9000U);
  }
  ASSERT_EQ(node->peers.size(), 16U);
  std::map<std::string, std::string> peers;
  for (const auto& peer : node->peers) peers[peer.link] = peer.node + " " + peer.ip.text();
  EXPECT_EQ(peers.at("eth15"), "dgx2 198.18.15.2");
}

TEST(Resolve, UsesOneRailOfACableToACageThatHasOne) {
  const auto node = node_of(kFabric, "b");
  EXPECT_TRUE(node.links.contains("enp1s0f1np1"));
  EXPECT_FALSE(node.links.contains("enP2p1s0f1np1"));
  EXPECT_TRUE(node.links.contains("enP2p1s0f0np0")) << "on a switch the others use both";
}

TEST(Resolve, HasExternalHostsAsPeersOfTheRailsThatLeadThere) {
  std::set<std::string> external;
  for (const auto& peer : node_of(kFabric, "a").peers) {
    if (peer.external) external.insert(peer.link + " " + peer.node + " " + peer.ip.text());
  }
  EXPECT_EQ(external, (std::set<std::string>{
                          "enP2p1s0f0np0 nas 198.51.100.50", "enP2p1s0f1np1 disks 198.18.2.50",
                          "enp1s0f0np0 nas 192.0.2.50", "enp1s0f1np1 disks 198.18.1.50"}));
}

TEST(Resolve, LeavesExternalHostsOutOfTheShapeOfTheFabric) {
  const auto with = node_of(kFabric, "a").fabric;
  EXPECT_EQ(with.shared_link, "enp1s0f0np0");
  EXPECT_EQ(with.subnets.size(), 4U) << "of the switch, and of the cable between b and x";
}

TEST(Resolve, LaysTheKeysOfANodeOverThoseOfAll) {
  const auto a = node_of(kFabric, "a");
  const auto b = node_of(kFabric, "b");
  EXPECT_EQ(a.ready.peers.value, ReadyPolicy::kReport);
  EXPECT_EQ(b.ready.peers.value, ReadyPolicy::kOff);
  EXPECT_EQ(a.ready.key_file->value, "/etc/all.key");
  EXPECT_EQ(b.ready.key_file->value, "/etc/b.key");
  EXPECT_EQ(b.ready.storage.value, ReadyPolicy::kRequire);
  EXPECT_EQ(b.ready.loopback_minimum->value, 64'000'000'000U);
  EXPECT_EQ(a.environment->variables.at("UCX_TLS").value, "sm");
  EXPECT_EQ(b.environment->variables.at("UCX_TLS").value, "rc");
  EXPECT_EQ(b.environment->variables.at("GLOO_X").value, "1");
  EXPECT_EQ(b.environment->nccl_mode->value, NcclMode::kPerformance);
}

TEST(Resolve, GivesTheEnvironmentOfANodeToThatNodeAlone) {
  constexpr const char* kText = R"(
version: 1
cluster: lab
nodes: { a: { environment: {} }, b: {} }
)";
  EXPECT_TRUE(node_of(kText, "a").environment);
  EXPECT_FALSE(node_of(kText, "b").environment);
}

TEST(Resolve, NamesTheTwinOfARailInUse) {
  constexpr const char* kOneRail = R"(
version: 1
cluster: lab
nodes: { a: { number: 1 }, b: { number: 2 } }
fabric: { cables: [{ ends: [a:0, b:0], subnets: [192.0.2.0/24] }] }
)";
  const std::vector<Netdev> devices{
      {.name = "eth7", .pci_address = "0000:01:00.0"},
      {.name = "eth8", .pci_address = "0002:01:00.0"},
      {.name = "eth9", .pci_address = "0002:01:00.1"},
  };
  const auto node = resolve(parsed_cluster(kOneRail), "a", devices);
  ASSERT_TRUE(node);
  EXPECT_EQ(node->links.size(), 1U);
  ASSERT_EQ(node->twins.size(), 1U) << "cage 1 is not in use";
  EXPECT_TRUE(node->twins.contains("eth8"));
  EXPECT_TRUE(node_of(kOneRail, "a").twins.empty()) << "no device is known to be there";
}

// G3: its cage counted as unused while the device was away.
TEST(Resolve, KnowsTheCageOfADeviceThatIsAwayByTheNameOfDgxOs) {
  constexpr const char* kLinks = R"(
version: 1
cluster: lab
nodes: { a: { links: { enP2p1s0f0np0: { addresses: [192.0.2.1/24] } } } }
)";
  const std::vector<Netdev> twin{{.name = "enp1s0f0np0"}};
  const auto node = resolve(parsed_cluster(kLinks), "a", twin);
  ASSERT_TRUE(node);
  EXPECT_EQ(node->links.at("enP2p1s0f0np0").rail, (Rail{0, 1}));
  EXPECT_TRUE(node->twins.contains("enp1s0f0np0"));
  const std::vector<Netdev> other{{.name = "eth8", .altnames = {"enP2p1s0f0np0"}}};
  EXPECT_EQ(resolve(parsed_cluster(kLinks), "a", other)->links.size(), 1U);
}

TEST(Resolve, TellsALongRingFromARingOfThreeAndAChain) {
  const auto shape = [](const std::string& cables) {
    return node_of(
               "version: 1\ncluster: lab\n"
               "nodes: { a: { number: 1 }, b: { number: 2 }, c: { number: 3 }, "
               "d: { number: 4 } }\nfabric:\n  mtu: 9000\n  cables:\n" +
                   cables,
               "a")
        .fabric;
  };
  const std::string chain =
      "    - { ends: [a:0, b:1], subnets: [10.1.0.0/24, 10.2.0.0/24] }\n"
      "    - { ends: [b:0, c:1], subnets: [10.3.0.0/24, 10.4.0.0/24] }\n";
  EXPECT_FALSE(shape(chain).is_long_ring);
  EXPECT_FALSE(shape(chain + "    - { ends: [c:0, a:1], subnets: [10.5.0.0/24, 10.6.0.0/24] }\n")
                   .is_long_ring);
  EXPECT_TRUE(shape(chain + "    - { ends: [c:0, d:1], subnets: [10.5.0.0/24, 10.6.0.0/24] }\n"
                            "    - { ends: [d:0, a:1], subnets: [10.7.0.0/24, 10.8.0.0/24] }\n")
                  .is_long_ring);
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
