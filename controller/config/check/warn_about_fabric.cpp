// Cables and switches that load, and are slow or fail later: half cables, MTUs, rings.

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "config/check/check_sections.hpp"
#include "config/segment_rails.hpp"

namespace spark::config {
namespace {

/// RoCE packets of 4096 bytes need 96 bytes more (iboe_get_mtu(), include/rdma/ib_addr.h).
constexpr std::uint32_t kRocePacket = 4096;
constexpr std::uint32_t kRoceHeaders = 96;

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

/// One subnet is right where no two ends have two rails, or where the far end is no node.
bool is_meant_for_one_rail(const Cluster& cluster, const Segment& segment) {
  const auto with_two = std::ranges::count_if(
      segment.ends, [&](const CageEnd& end) { return rails_of_cage(cluster, end) > 1; });
  return segment.external || with_two < 2;
}

void warn_if_half(const Cluster& cluster, const Segment& segment, Findings& findings) {
  if (rail_count(segment) != 1 || is_meant_for_one_rail(cluster, segment)) return;
  const Where where = segment.subnets.empty() ? segment.where : segment.subnets.front().where;
  findings.add(SpecId::kHalfTheCable, where,
               fmt::format("half the cable: {} has one subnet", name_of(segment)),
               "a cage has two rails of about 100 Gb/s each: give the second rail a subnet too");
}

/// A host with one network device a cage, on a cable or switch that has subnets for two.
void warn_about_one_rail(const Cluster& cluster, const Segment& segment, Findings& findings) {
  constexpr std::size_t kTwo = 2;
  if (segment.subnets.size() < kTwo) return;
  const auto& [first, second] = std::tie(segment.subnets[0].value, segment.subnets[1].value);
  for (const CageEnd& end : segment.ends) {
    if (rails_of_cage(cluster, end) >= kTwo) continue;
    const bool cable = segment.kind == Segment::Kind::kCable;
    findings.add(SpecId::kOneRail, end.where,
                 fmt::format("cage {} of {} is one rail: it is in {} alone", end.cage,
                             in_quotes(end.node), first.network().text()),
                 cable ? fmt::format("nobody is at the other end of {}: write one subnet",
                                     second.network().text())
                       : fmt::format("it does not reach {}; to say the same without this warning, "
                                     "write the addresses of each port",
                                     second.network().text()));
  }
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
  } else if (!segment.ends.empty()) {
    std::ranges::for_each(segment.ends.front().addresses, warn_if_other);
  }
}

bool is_on_ring(const Segment& segment, const std::set<std::string_view>& on_rings) {
  return segment.kind == Segment::Kind::kCable && segment.ends.size() == 2 &&
         std::ranges::all_of(segment.ends,
                             [&](const CageEnd& end) { return on_rings.contains(end.node); });
}

void warn_about_same_cages(const Segment& segment, Findings& findings) {
  const auto& [one, other] = std::tie(segment.ends[0], segment.ends[1]);
  if (one.cage != other.cage) return;
  findings.add(
      SpecId::kSameCageOnRing, segment.where,
      fmt::format("a cable of a ring joins cage {} to cage {}", one.cage, other.cage),
      fmt::format("NCCL pairs the ports of a card by their number, and fails on such a ring "
                  "with ibv_modify_qp, error 110: plug each cable from cage 0 to cage 1, "
                  "and write ends: [{}:0, {}:1]",
                  one.node, other.node));
}

/// The nodes that cables of rings lead to, from one on.
std::set<std::string_view> ring_of(std::string_view node, const Fabric& fabric,
                                   const std::set<std::string_view>& on_rings) {
  std::set<std::string_view> ring{node};
  for (std::size_t before = 0; before != ring.size();) {
    before = ring.size();
    for (const Segment& segment : fabric.segments) {
      if (!is_on_ring(segment, on_rings)) continue;
      const std::string_view one = segment.ends[0].node;
      const std::string_view other = segment.ends[1].node;
      if (ring.contains(one) || ring.contains(other)) ring.insert({one, other});
    }
  }
  return ring;
}

/// Reported at the first cable of each ring.
void warn_about_long_rings(const Fabric& fabric, const std::set<std::string_view>& on_rings,
                           Findings& findings) {
  constexpr std::size_t kFour = 4;
  std::set<std::string_view> seen;
  for (const Segment& segment : fabric.segments) {
    if (!is_on_ring(segment, on_rings) || seen.contains(segment.ends[0].node)) continue;
    const auto ring = ring_of(segment.ends[0].node, fabric, on_rings);
    seen.insert(ring.begin(), ring.end());
    if (ring.size() < kFour) continue;
    findings.add(
        SpecId::kRingOfFour, segment.where, fmt::format("a ring of {} nodes", ring.size()),
        "nodes that no cable joins do not reach each other by RDMA, and NCCL connects such "
        "nodes for its trees:\nuse a switch, or an NCCL that connects no trees "
        "(docs/reference/environment.md, a ring of four)");
  }
}

/// Reported once, as one line under `fabric` is the cure.
void warn_about_missing_mtu(const Fabric& fabric, Findings& findings) {
  const auto without = std::ranges::find_if(
      fabric.segments, [&](const Segment& segment) { return !segment.mtu && !fabric.mtu; });
  if (without == fabric.segments.end()) return;
  findings.add(SpecId::kNoMtu, without->where, fmt::format("no mtu for {}", name_of(*without)),
               "its rails keep the MTU that they have, mostly 1500, and the two ends may differ: "
               "write mtu: 9000 under 'fabric'");
}

void warn_about_mtu(const std::optional<At<std::uint32_t>>& mtu, Findings& findings) {
  if (!mtu || mtu->value < kRocePacket || mtu->value >= kRocePacket + kRoceHeaders) return;
  findings.add(SpecId::kRoceMtu, mtu->where,
               fmt::format("mtu {} gives RoCE packets of 2048 bytes", mtu->value),
               "4096 is the size of RoCE's packets; the link needs 4192 for them: use 9000");
}

}  // namespace

void warn_about_fabric(const Checked& checked, Findings& findings) {
  const Fabric& fabric = checked.cluster.fabric;
  const auto on_rings = nodes_on_rings(fabric);
  warn_about_mtu(fabric.mtu, findings);
  warn_about_missing_mtu(fabric, findings);
  warn_about_long_rings(fabric, on_rings, findings);
  for (const Segment& segment : fabric.segments) {
    warn_about_mtu(segment.mtu, findings);
    warn_if_half(checked.cluster, segment, findings);
    warn_about_one_rail(checked.cluster, segment, findings);
    if (!is_on_ring(segment, on_rings)) continue;
    warn_about_ring_subnets(segment, findings);
    warn_about_same_cages(segment, findings);
  }
}

}  // namespace spark::config
