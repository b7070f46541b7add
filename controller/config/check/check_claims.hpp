#pragma once
// Claim: one address that the file gives to one link of one node, with the lines it comes from.

#include <cstddef>
#include <string_view>
#include <vector>

#include "config/check/check_sections.hpp"

namespace spark::config {

struct Claim {
  IpPrefix prefix;
  Where where;
  std::string_view node;
  const NodeSpec* node_spec = nullptr;

  /// A rail of a cable or switch, where `segment` is not null,
  const Segment* segment = nullptr;
  std::size_t rail = 0;
  bool numbered = false;  ///< from the node's number and a subnet, else said outright
  /// or a link by its name.
  std::string_view link;
  const LinkSpec* link_spec = nullptr;
};

/// Why no link can have this address, as in "a loopback address"; empty: a link can.
std::string_view why_unusable(const IpAddress& ip);

/// All claims, those of the fabric first. Nodes that are unknown or lack a number claim nothing.
std::vector<Claim> claims_of(const Cluster& cluster);

}  // namespace spark::config
