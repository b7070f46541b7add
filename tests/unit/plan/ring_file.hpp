#pragma once
// The file of a ring of three, for what is said of how a change of it rolls out.

#include <string>

#include <fmt/format.h>

namespace spark::test {

struct RingFile {
  std::string rollout;    ///< the section, with its line feed; empty: there is none
  int mtu = 9000;         ///< of the cable of spark1 and spark2
  int all = 9000;         ///< of all others
  std::string of_spark3;  ///< more of that node: ", away: true"
};

inline std::string ring_file(const RingFile& of) {
  return fmt::format(
      "version: 1\n"
      "cluster: ring\n"
      "nodes:\n"
      "  spark1: {{ number: 1 }}\n"
      "  spark2: {{ number: 2 }}\n"
      "  spark3: {{ number: 3{} }}\n"
      "fabric:\n"
      "  mtu: {}\n"
      "  cables:\n"
      "    - {{ ends: [spark1:0, spark2:1], subnets: [192.0.2.0/28, 192.0.2.16/28], mtu: {} }}\n"
      "    - {{ ends: [spark2:0, spark3:1], subnets: [192.0.2.32/28, 192.0.2.48/28] }}\n"
      "    - {{ ends: [spark3:0, spark1:1], subnets: [192.0.2.64/28, 192.0.2.80/28] }}\n"
      "{}",
      of.of_spark3, of.all, of.mtu, of.rollout);
}

}  // namespace spark::test
