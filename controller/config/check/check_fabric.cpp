// Cables and switches: their ends, the subnets of their rails, and what makes them slow.

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/text.hpp"
#include "config/check/check_sections.hpp"

namespace spark::config {
namespace {

/// RoCE packets of 4096 bytes need 96 bytes more (iboe_get_mtu(), include/rdma/ib_addr.h).
constexpr std::uint32_t kRocePacket = 4096;
constexpr std::uint32_t kRoceHeaders = 96;

void check_cages_used_once(const Cluster& cluster, Findings& findings) {
  std::map<std::pair<std::string_view, int>, Where> first;
  for (const Segment& segment : cluster.fabric.segments) {
    for (const CageEnd& end : segment.ends) {
      const auto [seen, is_new] = first.try_emplace({end.node, end.cage}, end.where);
      if (is_new) continue;
      const auto [earlier, later] = std::minmax(seen->second, end.where);
      findings.add(SpecId::kCageTwice, later,
                   fmt::format("cage {} of {} is used twice", end.cage, in_quotes(end.node)),
                   "a cage holds one plug: correct one of the two places",
                   {{earlier, "first here"}});
    }
  }
}

void check_switch_names(const Cluster& cluster, Findings& findings) {
  std::map<std::string_view, Where> first;
  for (const Segment& segment : cluster.fabric.segments) {
    if (segment.name.empty()) continue;
    const auto [seen, is_new] = first.try_emplace(segment.name, segment.where);
    if (is_new) continue;
    findings.add(SpecId::kSwitchTwice, segment.where,
                 fmt::format("two switches are named {}", in_quotes(segment.name)),
                 "one switch with more subnets needs an item and a name for each pair of them",
                 {{seen->second, "first here"}});
  }
}

/// The cages of one node would be two links in one subnet.
void check_nodes_stand_once(const Segment& segment, Findings& findings) {
  std::map<std::string_view, const CageEnd*> first;
  for (const CageEnd& end : segment.ends) {
    const auto [seen, is_new] = first.try_emplace(end.node, &end);
    if (is_new || seen->second->cage == end.cage) continue;
    const bool cable = segment.kind == Segment::Kind::kCable;
    findings.add(SpecId::kCableToItself, end.where,
                 cable
                     ? fmt::format("a cable from {} to itself", in_quotes(end.node))
                     : fmt::format("{} stands at {} twice", in_quotes(end.node), name_of(segment)),
                 cable ? "name the other machine at one end"
                       : "both cages would be in one subnet: list the second cages as another "
                         "item of 'switches', with subnets of their own",
                 {{seen->second->where, "first here"}});
  }
}

void check_host_bits(const Segment& segment, Findings& findings) {
  for (const auto& [subnet, where] : segment.subnets) {
    if (subnet != subnet.network()) {
      findings.add(
          SpecId::kSubnetHostBits, where,
          fmt::format("{} is an address, not a subnet", in_quotes(subnet.text())),
          fmt::format("write {}: each node's 'number' fills in the rest", subnet.network().text()));
    }
  }
}

/// Ends with addresses of their own: each rail one subnet, and as many rails at every end.
void check_ends_agree(const Segment& segment, Findings& findings) {
  if (segment.ends.empty()) return;
  const CageEnd& first = segment.ends.front();
  for (const CageEnd& end : segment.ends) {
    if (!findings.structure_is_broken() && end.addresses.size() != first.addresses.size()) {
      findings.add(SpecId::kEndsDisagree, end.where,
                   fmt::format("{} rail{} at this end, {} at the other", end.addresses.size(),
                               end.addresses.size() == 1 ? "" : "s", first.addresses.size()),
                   "a rail needs an address at every end", {{first.where, "the other end"}});
    }
    const std::size_t rails = std::min(end.addresses.size(), first.addresses.size());
    for (std::size_t rail = 0; rail < rails; ++rail) {
      const auto& [here, here_where] = end.addresses[rail];
      const auto& [there, there_where] = first.addresses[rail];
      if (here.network() == there.network()) continue;
      findings.add(SpecId::kEndsDisagree, here_where,
                   fmt::format("rail {} is in {} at this end and in {} at the other", rail,
                               here.network().text(), there.network().text()),
                   "the two ends of a rail reach each other only inside one subnet",
                   {{there_where, "the other end"}});
    }
  }
}

void check_mtu(const Cluster& cluster, const Segment& segment, Findings& findings) {
  const auto mtu = mtu_of(cluster, segment);
  if (!mtu) return;
  for (const auto& subnet : segment.subnets) check_mtu_for_ipv6(*mtu, subnet, findings);
  for (const CageEnd& end : segment.ends) {
    for (const auto& address : end.addresses) check_mtu_for_ipv6(*mtu, address, findings);
  }
}

/// Nodes that lie on a ring of cables: what is left when loose ends are taken off again and again.
std::set<std::string_view> nodes_on_rings(const Fabric& fabric) {
  std::map<std::string_view, std::set<std::string_view>> neighbours;
  for (const Segment& segment : fabric.segments) {
    if (segment.kind != Segment::Kind::kCable || segment.ends.size() != 2) continue;
    neighbours[segment.ends[0].node].insert(segment.ends[1].node);
    neighbours[segment.ends[1].node].insert(segment.ends[0].node);
  }
  std::vector<std::string_view> loose;
  const auto collect_if_loose = [&](std::string_view node) {
    if (neighbours[node].size() == 1) loose.push_back(node);
  };
  for (const auto& [node, others] : neighbours) collect_if_loose(node);
  while (!loose.empty()) {
    const std::string_view node = loose.back();
    loose.pop_back();
    for (const std::string_view other : std::exchange(neighbours[node], {})) {
      neighbours[other].erase(node);
      collect_if_loose(other);
    }
  }
  std::set<std::string_view> nodes;
  for (const auto& [node, others] : neighbours) {
    if (!others.empty()) nodes.insert(node);
  }
  return nodes;
}

void warn_if_half(const Segment& segment, Findings& findings) {
  if (rail_count(segment) != 1) return;
  const Where where = segment.subnets.empty() ? segment.where : segment.subnets.front().where;
  findings.add(SpecId::kHalfTheCable, where,
               fmt::format("half the cable: {} has one subnet", name_of(segment)),
               "a cage has two rails of about 100 Gb/s each: give the second rail a subnet too");
}

void warn_about_ring_subnets(const Segment& segment, Findings& findings) {
  constexpr std::uint8_t kNcclPrefixLen = 24;
  const auto warn_if_other = [&](const At<IpPrefix>& prefix) {
    if (!prefix.value.ip.is_v4() || prefix.value.prefix_len == kNcclPrefixLen) return;
    findings.add(SpecId::kRingSubnet, prefix.where,
                 fmt::format("{} on a ring is no /24", prefix.value.network().text()),
                 "NCCL's subnet-aware routing tells the cables of a ring apart by /24s");
  };
  if (!segment.subnets.empty()) {
    std::ranges::for_each(segment.subnets, warn_if_other);
  } else {
    std::ranges::for_each(segment.ends.front().addresses, warn_if_other);
  }
}

void warn_about_mtu(const std::optional<At<std::uint32_t>>& mtu, Findings& findings) {
  if (!mtu || mtu->value < kRocePacket || mtu->value >= kRocePacket + kRoceHeaders) return;
  findings.add(SpecId::kRoceMtu, mtu->where,
               fmt::format("mtu {} gives RoCE packets of 2048 bytes", mtu->value),
               "4096 is the size of RoCE's packets; the link needs 4192 for them: use 9000");
}

}  // namespace

void check_fabric(const Checked& checked, Findings& findings) {
  const Cluster& cluster = checked.cluster;
  check_cages_used_once(cluster, findings);
  check_switch_names(cluster, findings);
  for (const Segment& segment : cluster.fabric.segments) {
    for (const CageEnd& end : segment.ends) {
      static_cast<void>(known_node(cluster, findings, end.node, end.where));  // for its report
    }
    check_nodes_stand_once(segment, findings);
    check_host_bits(segment, findings);
    check_ends_agree(segment, findings);
    check_mtu(cluster, segment, findings);
  }
}

void warn_about_fabric(const Checked& checked, Findings& findings) {
  const Fabric& fabric = checked.cluster.fabric;
  const auto on_rings = nodes_on_rings(fabric);
  warn_about_mtu(fabric.mtu, findings);
  for (const Segment& segment : fabric.segments) {
    warn_about_mtu(segment.mtu, findings);
    warn_if_half(segment, findings);
    const bool in_ring = segment.kind == Segment::Kind::kCable &&
                         std::ranges::all_of(segment.ends, [&](const CageEnd& end) {
                           return on_rings.contains(end.node);
                         });
    if (in_ring) warn_about_ring_subnets(segment, findings);
  }
}

}  // namespace spark::config
