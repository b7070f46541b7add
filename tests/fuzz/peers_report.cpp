#include "gate/common/peers_report.hpp"

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "cluster/make_view.hpp"
#include "config/parse/parse.hpp"
#include "fake/fake_host.hpp"
#include "protocol/peers.hpp"

namespace {

spark::protocol::ExpectedPeer expected(const char* node, const char* ip, const char* link) {
  return {.node = node,
          .ip = *spark::IpAddress::parse(ip),
          .link = link,
          .local = *spark::IpAddress::parse("203.0.113.11"),
          .cage = 0,
          .rail = 0};
}

/// A ring of three as spark1 has it, but for what spark-peers tells.
spark::cluster::Known ring() {
  const auto parsed = spark::config::parse(
      "version: 1\ncluster: lab\n"
      "nodes: { spark1: { number: 11 }, spark2: { number: 12 }, spark3: { number: 13 } }\n"
      "fabric:\n  mtu: 9000\n  cables:\n"
      "    - { ends: [spark1:0, spark2:1], subnets: [192.168.177.0/24, 192.168.178.0/24] }\n"
      "    - { ends: [spark3:0, spark1:1], subnets: [192.168.187.0/24, 192.168.188.0/24] }\n"
      "    - { ends: [spark2:0, spark3:1], subnets: [192.168.197.0/24, 192.168.198.0/24] }\n");
  spark::cluster::Known known;
  known.shape = spark::cluster::shape_of(parsed.cluster);
  known.own.name = "spark1";
  known.own.verdict = spark::protocol::Verdict::kReady;
  known.own.file.digest = parsed.cluster.digest;
  known.now = std::chrono::milliseconds(1'000'000);
  return known;
}

}  // namespace

// Who takes spark-peers over writes what it likes into its report: root reads or refuses it, and
// draws the cluster by it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  spark::test::FakeHost host;
  host.files().put(spark::protocol::kPeersReportFile, text);
  auto ports = host.host();
  auto report = spark::gate::read_peers_report(ports);
  if (!report || !*report) return 0;
  spark::protocol::PeersOrder order;
  order.enabled = true;
  order.own.cluster = "lab";
  order.own.node = "spark1";
  order.peers = {expected("spark2", "192.168.177.12", "enp1s0f0np0"),
                 expected("spark3", "192.168.187.13", "enp1s0f1np1")};
  static const auto kRing = ring();
  auto known = kRing;
  known.told = spark::cluster::told_of(std::move(order), **std::move(report));
  const auto view = spark::cluster::cluster_view(known);
  // A node that is in no file is none of the cluster, also where somebody tells of it.
  if (view.nodes.size() != known.shape.nodes.size()) std::abort();
  return 0;
}
