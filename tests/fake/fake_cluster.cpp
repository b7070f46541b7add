#include "fake/fake_cluster.hpp"

#include <stdexcept>

#include "config/parse/parse.hpp"
#include "state/select.hpp"

namespace spark::test {

std::string pair_text() {
  return R"(
version: 1
cluster: pair
nodes:
  spark1: { number: 11, management: enP7s7 }
  spark2: { number: 12, management: enP7s7 }
fabric:
  mtu: 9000
  cables:
    - { ends: [spark1:0, spark2:0], subnets: [198.51.100.0/24, 203.0.113.0/24] }
host:
  sysctl: { net.core.rmem_max: 268435456 }
  hosts: { suffix: -fabric }
  roce: { rdma_cm_mode: v2 }
  modules: [rdma_ucm]
  memlock: unlimited
environment: { profile: true }
storage:
  - nvme_tcp: { nqn: nqn.2014-08.org.example:data, address: 198.51.100.12 }
    mounts:
      - { namespace: 1, path: /mnt/data, type: ext4, options: [noatime], read_write: spark1 }
)";
}

std::string every_kind_text() {
  auto text = pair_text();
  const std::string end = " }\n  spark2:";
  return text.insert(text.find(end),
                     ", links: { enp1s0f0np0: { routes: "
                     "[{ to: 10.77.0.0/16, via: 198.51.100.12 }] } }");
}

std::string one_setting_text() {
  return R"(
version: 1
cluster: one
nodes: { spark1: {} }
host: { sysctl: { net.core.rmem_max: 777777 } }
)";
}

config::Node node_on(FakeHost& host, const std::string& text, const std::string& name) {
  const auto parsed = config::parse(text);
  for (const auto& diagnostic : parsed.diagnostics) {
    if (diagnostic.severity == config::Severity::kError) {
      throw std::invalid_argument(diagnostic.message);
    }
  }
  auto ports = host.host();
  host::View view(ports);
  auto selection = state::select(parsed.cluster, name, view);
  if (!selection) {
    throw std::invalid_argument(selection.error().what);
  }
  return selection->node;
}

}  // namespace spark::test
