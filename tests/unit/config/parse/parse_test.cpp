#include "config/parse/parse.hpp"

#include <gtest/gtest.h>

#include "config/yaml/diagnostic_list.hpp"

namespace spark::config {
namespace {

constexpr std::string_view kHead = "version: 1\ncluster: lab\n";

std::string errors_of(const Parsed& parsed) {
  std::string text;
  for (const auto& diagnostic : parsed.diagnostics) {
    text += diagnostic.id + " " + diagnostic.message + "\n";
  }
  return text;
}

Cluster cluster_of(std::string_view text) {
  const auto parsed = parse(std::string(kHead) + std::string(text));
  EXPECT_EQ(errors_of(parsed), "");
  return parsed.cluster;
}

TEST(Parse, NamesTheDigestOfTheBytes) {
  EXPECT_EQ(parse("").cluster.digest,
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Parse, ReadsANode) {
  const auto cluster = cluster_of(R"(
nodes:
  a:
    number: 11
    management: enP7s7
    match: { machine_id: 0123456789abcdef0123456789abcdef }
    links: { eth0: { mtu: 1500, up: true, addresses: [203.0.113.5/24], link_local: none } }
    cages: { 1: [eth4, eth5] }
    memlock: 64KiB
)");
  const NodeSpec& node = cluster.nodes.at("a");
  EXPECT_EQ(node.where, (Where{5, 3}));
  EXPECT_EQ(node.number->value, 11U);
  EXPECT_EQ(node.management->value, "enP7s7");
  EXPECT_EQ(node.match.machine_id->value, "0123456789abcdef0123456789abcdef");
  EXPECT_EQ(node.cages.at(1)[1].value, "eth5");
  EXPECT_EQ(node.settings.memlock->value.bytes, 65536U);
  const LinkSpec& link = node.links.at("eth0");
  EXPECT_EQ(link.mtu->value, 1500U);
  EXPECT_TRUE(link.up->value);
  EXPECT_EQ(link.addresses[0].value.text(), "203.0.113.5/24");
  EXPECT_EQ(link.link_local->value, LinkLocalMode::kNone);
  EXPECT_FALSE(link.exclusive);
}

TEST(Parse, LeavesEmptyWhatIsNotSaid) {
  const auto cluster = cluster_of("nodes: { a: { links: { eth0: {} } } }\n");
  const LinkSpec& link = cluster.nodes.at("a").links.at("eth0");
  EXPECT_FALSE(link.mtu || link.up || link.link_local || link.owner_host);
  EXPECT_FALSE(cluster.fabric.mtu);
  EXPECT_EQ(cluster.fabric.unused_cages.value, UnusedCages::kLeave);
  EXPECT_EQ(cluster.drift.fallback.value, DriftPolicy::kEnforce);
  EXPECT_EQ(cluster.drift.alert.value, DriftAlert::kRepeated);
  EXPECT_EQ(cluster.ready.peers.value, ReadyPolicy::kReport);
  EXPECT_FALSE(cluster.environment);
}

TEST(Parse, ReadsCablesBeforeSwitchesInTheOrderOfTheFile) {
  const auto cluster = cluster_of(R"(
nodes: { a: { number: 1 }, b: { number: 2 }, c: {} }
fabric:
  switches:
    - { name: sw1, ports: [a:1, b:1], subnets: [10.0.0.0/24, 10.0.1.0/24], mtu: 9000, speed: 100G }
  cables:
    - { ends: [a:0, b:0], subnets: [192.0.2.0/24, 198.51.100.0/24], mtu: 4200 }
)");
  ASSERT_EQ(cluster.fabric.segments.size(), 2U);
  const Segment& cable = cluster.fabric.segments[0];
  EXPECT_EQ(cable.kind, Segment::Kind::kCable);
  EXPECT_EQ(cable.ends[1].node, "b");
  EXPECT_EQ(cable.ends[1].cage, 0);
  EXPECT_EQ(cable.ends[1].where, (Where{9, 21}));
  EXPECT_EQ(cable.subnets[1].value.text(), "198.51.100.0/24");
  EXPECT_EQ(cable.mtu->value, 4200U);
  const Segment& sw = cluster.fabric.segments[1];
  EXPECT_EQ(sw.name, "sw1");
  EXPECT_EQ(sw.speed->value, 100'000'000'000U);
}

TEST(Parse, ReadsTheAddressesOfEachEnd) {
  const auto cluster = cluster_of(R"(
nodes: { a: {}, b: {} }
fabric:
  cables:
    - ends: { a:0: [192.0.2.1/24, 198.51.100.1/24], b:1: [192.0.2.2/24, 198.51.100.2/24] }
      mtu: 9000
)");
  const Segment& cable = cluster.fabric.segments[0];
  EXPECT_TRUE(cable.subnets.empty());
  EXPECT_EQ(cable.ends[1].node, "b");
  EXPECT_EQ(cable.ends[1].cage, 1);
  EXPECT_EQ(cable.ends[1].addresses[1].value.text(), "198.51.100.2/24");
}

TEST(Parse, KeepsSysctlValuesAsFoldedText) {
  const auto cluster = cluster_of(R"(
nodes: { a: { sysctl: { net/ipv4/conf/eth0.100/forwarding: -1 } } }
host: { sysctl: { net.ipv4.tcp_rmem: "4096	87380   268435456", net.core.rmem_max: 268435456 } }
)");
  EXPECT_EQ(cluster.host.sysctl.at("net.ipv4.tcp_rmem").value, "4096 87380 268435456");
  EXPECT_EQ(cluster.host.sysctl.at("net.core.rmem_max").value, "268435456");
  EXPECT_EQ(cluster.nodes.at("a").settings.sysctl.at("net.ipv4.conf.eth0/100.forwarding").value,
            "-1");
}

TEST(Parse, ReadsStorage) {
  const auto cluster = cluster_of(R"(
nodes: { a: {} }
storage:
  - nvme_tcp: { nqn: raid5-data, address: 203.0.113.10 }
    mounts: [{ namespace: 2, path: /mnt/x, type: ext4, options: [noatime], read_write: a }]
  - nvme_tcp: { nqn: other, address: "2001:db8::1", port: 4421, secret_file: /etc/nvme/x }
)");
  const NvmeTarget& target = cluster.storage[0];
  EXPECT_EQ(target.port.value, 4420);
  EXPECT_EQ(std::get<std::uint32_t>(target.mounts[0].nvme_namespace->value), 2U);
  EXPECT_EQ(target.mounts[0].read_write->value, "a");
  EXPECT_EQ(cluster.storage[1].port.value, 4421);
  EXPECT_EQ(cluster.storage[1].secret_file->value, "/etc/nvme/x");
}

TEST(Parse, ReadsPolicies) {
  const auto cluster = cluster_of(R"(
nodes: { a: {} }
ready: { loopback: { minimum: 64Gb/s, deadline: 20s }, storage: require, peers: report, key_file: /etc/spark-reconcile/peers.key }
drift: { default: report, kinds: { mtu: ignore }, alert: first }
environment: { nccl: { mode: safe, variables: { NCCL_DEBUG: INFO, NCCL_IB_TC: 106 } } }
take_over: true
)");
  EXPECT_EQ(cluster.ready.loopback_minimum->value, 64'000'000'000U);
  EXPECT_EQ(cluster.ready.loopback_deadline->value, std::chrono::seconds(20));
  EXPECT_EQ(cluster.ready.storage.value, ReadyPolicy::kRequire);
  EXPECT_EQ(cluster.ready.peers.value, ReadyPolicy::kReport);
  EXPECT_EQ(cluster.ready.key_file->value, "/etc/spark-reconcile/peers.key");
  EXPECT_EQ(cluster.drift.fallback.value, DriftPolicy::kReport);
  EXPECT_EQ(cluster.drift.kinds.at("mtu").value, DriftPolicy::kIgnore);
  EXPECT_EQ(cluster.drift.alert.value, DriftAlert::kFirst);
  EXPECT_EQ(cluster.environment->nccl_mode->value, NcclMode::kSafe);
  EXPECT_EQ(cluster.environment->variables.at("NCCL_IB_TC").value, "106");
  EXPECT_TRUE(cluster.take_over.value);
}

TEST(Parse, FindsAllErrorsInOneRunAndSortsThemByPlace) {
  const auto parsed = parse("version: 1\nnodes: { a: { hots: 1 }, b: { number: no } }\nmtu: 1\n");
  ASSERT_EQ(parsed.diagnostics.size(), 4U);
  EXPECT_EQ(parsed.diagnostics[0].message, "missing key 'cluster'");
  EXPECT_EQ(parsed.diagnostics[1].path, "nodes.a.hots");
  EXPECT_EQ(parsed.diagnostics[2].path, "nodes.b.number");
  EXPECT_EQ(parsed.diagnostics[3].path, "mtu");
}

TEST(Parse, CountsWhatIsBeyondAHundredFindings) {
  std::string text(kHead);
  text += "nodes:\n";
  for (int i = 0; i < 130; ++i) text += "  n" + std::to_string(i) + ": { hots: 1 }\n";
  const auto parsed = parse(text);
  ASSERT_EQ(parsed.diagnostics.size(), Findings::kMost + 1);
  EXPECT_EQ(parsed.diagnostics.back().message, "and 30 more errors");
}

TEST(Parse, LeavesWarningsOutBesideAnError) {
  const std::string half = std::string(kHead) +
                           "nodes: { a: { number: 1 }, b: { number: 2 } }\n"
                           "fabric: { mtu: 9000, cables: [{ ends: [a:0, b:0], subnets: "
                           "[192.0.2.0/24] }] }\n";
  const auto warned = parse(half);
  ASSERT_EQ(warned.diagnostics.size(), 1U);
  EXPECT_EQ(warned.diagnostics[0].severity, Severity::kWarning);
  const auto refused = parse(half + "take_over: yes\n");
  ASSERT_EQ(refused.diagnostics.size(), 1U);
  EXPECT_EQ(refused.diagnostics[0].severity, Severity::kError);
}

}  // namespace
}  // namespace spark::config
