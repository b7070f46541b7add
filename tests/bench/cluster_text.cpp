#include "bench/cluster_text.hpp"

#include <iterator>

#include <fmt/format.h>

namespace spark::bench {

std::string text_of_ring() {
  return R"(version: 1
cluster: ring
nodes:
  spark1: { number: 11, management: enP7s7 }
  spark2: { number: 12, management: enP7s7 }
  spark3: { number: 13, management: enP7s7 }
fabric:
  mtu: 9000
  cables:
    - { ends: [spark1:0, spark2:1], subnets: [192.168.177.0/24, 192.168.178.0/24] }
    - { ends: [spark3:0, spark1:1], subnets: [192.168.187.0/24, 192.168.188.0/24] }
    - { ends: [spark2:0, spark3:1], subnets: [192.168.197.0/24, 192.168.198.0/24] }
)";
}

const std::array<RailAddress, 4>& rails_of_ring() {
  static const std::array<RailAddress, 4> kRails{{{"enp1s0f0np0", "192.168.177.11/24"},
                                                  {"enP2p1s0f0np0", "192.168.178.11/24"},
                                                  {"enp1s0f1np1", "192.168.187.11/24"},
                                                  {"enP2p1s0f1np1", "192.168.188.11/24"}}};
  return kRails;
}

const std::array<RailAddress, 4>& far_ends_of_ring() {
  static const std::array<RailAddress, 4> kEnds{{{"enp1s0f0np0", "192.168.177.12/24"},
                                                 {"enP2p1s0f0np0", "192.168.178.12/24"},
                                                 {"enp1s0f1np1", "192.168.187.13/24"},
                                                 {"enP2p1s0f1np1", "192.168.188.13/24"}}};
  return kEnds;
}

std::string text_of_switch(int nodes) {
  std::string text = "version: 1\ncluster: large\nnodes:\n";
  std::string ports;
  for (int node = 1; node <= nodes; ++node) {
    fmt::format_to(std::back_inserter(text), "  node{0}: {{ number: {0}, management: enP7s7 }}\n",
                   node);
    fmt::format_to(std::back_inserter(ports), "{}node{}:0", ports.empty() ? "" : ", ", node);
  }
  fmt::format_to(std::back_inserter(text),
                 "fabric:\n  mtu: 9000\n  switches:\n"
                 "    - {{ name: spine, ports: [{}], subnets: [10.10.0.0/20, 10.10.16.0/20] }}\n",
                 ports);
  return text;
}

std::string text_of_link(const std::string& link, int addresses) {
  std::string list;
  for (int number = 0; number < addresses; ++number) {
    fmt::format_to(std::back_inserter(list), "{}{}", number == 0 ? "" : ", ",
                   numbered_address(number));
  }
  return fmt::format(
      "version: 1\ncluster: one\nnodes:\n  node1: {{ links: {{ {}: {{ addresses: [{}] }} }} }}\n",
      link, list);
}

std::string numbered_address(int number) {
  constexpr int kHostsAByte = 250;
  return fmt::format("10.20.{}.{}/16", number / kHostsAByte, number % kHostsAByte + 1);
}

}  // namespace spark::bench
