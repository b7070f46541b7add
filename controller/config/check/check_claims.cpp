#include "config/check/check_claims.hpp"

#include <algorithm>

#include "config/cages.hpp"

namespace spark::config {
namespace {

void claim_rails(const Cluster& cluster, const Segment& segment, std::vector<Claim>& claims) {
  for (const CageEnd& end : segment.ends) {
    const auto node = cluster.nodes.find(end.node);
    if (node == cluster.nodes.end()) continue;
    const Claim common{.node = node->first, .node_spec = &node->second, .segment = &segment};
    for (std::size_t rail = 0; rail < end.addresses.size(); ++rail) {
      Claim& claim = claims.emplace_back(common);
      claim.prefix = end.addresses[rail].value;
      claim.where = end.addresses[rail].where;
      claim.rail = rail;
    }
    if (!node->second.number) continue;
    const std::size_t rails = std::min(segment.subnets.size(), rails_at(cluster, segment, end));
    for (std::size_t rail = 0; rail < rails; ++rail) {
      const IpPrefix& subnet = segment.subnets[rail].value;
      const auto ip = subnet.host(node->second.number->value);
      if (!ip) continue;
      Claim& claim = claims.emplace_back(common);
      claim.prefix = {*ip, subnet.prefix_len};
      claim.where = end.where;
      claim.rail = rail;
      claim.numbered = true;
    }
  }
}

}  // namespace

std::string_view why_unusable(const IpAddress& ip) {
  if (ip.is_loopback()) return "a loopback address";
  if (ip.is_multicast()) return "a multicast address";
  if (ip.is_unspecified()) return "no address at all";
  // RFC 1122 3.2.1.3, RFC 1112 4 and RFC 6890: routers and hosts drop them.
  if (ip.is_v4() && ip.bytes()[0] == 0) return "of 0.0.0.0/8, which means this network";
  if (ip.is_v4() && ip.bytes()[0] >= 240) return "of 240.0.0.0/4, which is reserved";
  return {};
}

std::vector<Claim> claims_of(const Cluster& cluster) {
  std::vector<Claim> claims;
  for (const Segment& segment : cluster.fabric.segments) claim_rails(cluster, segment, claims);
  for (const auto& [name, node] : cluster.nodes) {
    for (const auto& [link, spec] : node.links) {
      for (const auto& [prefix, where] : spec.addresses) {
        claims.push_back({.prefix = prefix,
                          .where = where,
                          .node = name,
                          .node_spec = &node,
                          .link = link,
                          .link_spec = &spec});
      }
    }
  }
  return claims;
}

}  // namespace spark::config
