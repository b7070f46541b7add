// Cables and switches that load, and are slow or fail later: half cables, MTUs, rings.

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "config/cages.hpp"
#include "config/check/check_sections.hpp"

namespace spark::config {
namespace {

bool is_between_nodes(const Segment& segment) {
  return segment.kind == Segment::Kind::kCable && segment.ends.size() == 2;
}

/// Of each node, those at the other ends of its cables.
using Neighbours = std::map<std::string_view, std::set<std::string_view>>;

Neighbours neighbours_by_cable(const Fabric& fabric) {
  Neighbours neighbours;
  for (const Segment& segment : fabric.segments) {
    if (!is_between_nodes(segment)) continue;
    neighbours[segment.ends[0].node].insert(segment.ends[1].node);
    neighbours[segment.ends[1].node].insert(segment.ends[0].node);
  }
  return neighbours;
}

/// Nodes that lie on a ring of cables: what is left when loose ends are taken off again and again.
std::set<std::string_view> nodes_on_rings(const Fabric& fabric) {
  auto neighbours = neighbours_by_cable(fabric);
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
  return is_between_nodes(segment) && std::ranges::all_of(segment.ends, [&](const CageEnd& end) {
           return on_rings.contains(end.node);
         });
}

/// The nodes that those cables lead to, from one on.
template <class IsOne>
std::set<std::string_view> joined_by(IsOne is_one, std::string_view node, const Fabric& fabric) {
  std::set<std::string_view> joined{node};
  for (std::size_t before = 0; before != joined.size();) {
    before = joined.size();
    for (const Segment& segment : fabric.segments) {
      if (!is_one(segment)) continue;
      const std::string_view one = segment.ends[0].node;
      const std::string_view other = segment.ends[1].node;
      if (joined.contains(one) || joined.contains(other)) joined.insert({one, other});
    }
  }
  return joined;
}

std::set<std::string_view> ring_of(std::string_view node, const Fabric& fabric,
                                   const std::set<std::string_view>& on_rings) {
  const auto is_one = [&](const Segment& segment) { return is_on_ring(segment, on_rings); };
  return joined_by(is_one, node, fabric);
}

/// The cables of the ring, in the order in which they lie; empty: they are no single circle.
std::vector<const Segment*> circle_of(const std::set<std::string_view>& ring, const Fabric& fabric,
                                      const std::set<std::string_view>& on_rings) {
  std::vector<const Segment*> left;
  for (const Segment& segment : fabric.segments) {
    const bool is_of_ring = is_on_ring(segment, on_rings) && ring.contains(segment.ends[0].node);
    if (is_of_ring) left.push_back(&segment);
  }
  if (left.size() != ring.size()) return {};
  std::vector<const Segment*> circle;
  const std::string_view start = left.front()->ends[0].node;
  auto at = start;
  while (!left.empty()) {
    const auto next = std::ranges::find_if(left, [&](const Segment* segment) {
      return segment->ends[0].node == at || segment->ends[1].node == at;
    });
    if (next == left.end()) return {};
    circle.push_back(*next);
    at = (*next)->ends[(*next)->ends[0].node == at ? 1 : 0].node;
    left.erase(next);
  }
  return at == start ? circle : std::vector<const Segment*>{};
}

/// The fewest nodes of a circle whose two plugs have to change places, so that each cable goes from
/// cage 0 to cage 1. Empty: it does, or the plugs are in other cages.
std::vector<std::string_view> nodes_to_swap(const std::vector<const Segment*>& circle) {
  std::vector<std::string_view> by_zero;  // nodes that the next cable leaves by cage 0
  std::vector<std::string_view> by_one;
  for (std::size_t i = 0; i < circle.size(); ++i) {
    const auto& ends = circle[i]->ends;
    const auto& next = circle[(i + 1) % circle.size()]->ends;
    const bool second_is_shared = ends[1].node == next[0].node || ends[1].node == next[1].node;
    const auto& in = ends[second_is_shared ? 1 : 0];
    const auto& out = next[next[0].node == in.node ? 0 : 1];
    if (in.cage + out.cage != 1) return {};
    (out.cage == 0 ? by_zero : by_one).push_back(in.node);
  }
  return by_zero.size() < by_one.size() ? by_zero : by_one;
}

/// Reported at the first such cable of each ring: the cure is one for all of them.
void warn_about_same_cages(const Fabric& fabric, const std::set<std::string_view>& on_rings,
                           Findings& findings) {
  std::set<std::string_view> seen;
  for (const Segment& segment : fabric.segments) {
    if (!is_on_ring(segment, on_rings) || segment.ends[0].cage != segment.ends[1].cage) continue;
    if (seen.contains(segment.ends[0].node)) continue;
    const auto ring = ring_of(segment.ends[0].node, fabric, on_rings);
    seen.insert(ring.begin(), ring.end());
    const auto circle = circle_of(ring, fabric, on_rings);
    const auto nodes = nodes_to_swap(circle);
    findings.add(
        SpecId::kSameCageOnRing, segment.where,
        fmt::format("a cable of a ring joins cage {} to cage {}", segment.ends[0].cage,
                    segment.ends[1].cage),
        fmt::format(
            "NCCL pairs the ports of a card by their number, and fails on such a ring with "
            "ibv_modify_qp, error 110: {}",
            nodes.empty()
                ? "plug each cable from cage 0 to cage 1"
                : fmt::format("swap the two plugs of {}, and cages 0 and 1 of the same in the file",
                              listed({nodes.begin(), nodes.end()}))));
  }
}

bool share_a_segment(std::string_view one, std::string_view other, const Fabric& fabric) {
  return std::ranges::any_of(fabric.segments, [&](const Segment& segment) {
    const auto has = [&](std::string_view node) {
      return std::ranges::find(segment.ends, node, &CageEnd::node) != segment.ends.end();
    };
    return has(one) && has(other);
  });
}

/// Reported at the first cable of each chain: its ends.
void warn_about_open_chains(const Fabric& fabric, Findings& findings) {
  const auto neighbours = neighbours_by_cable(fabric);
  std::set<std::string_view> seen;
  for (const Segment& segment : fabric.segments) {
    if (!is_between_nodes(segment) || seen.contains(segment.ends[0].node)) continue;
    const auto chain = joined_by(is_between_nodes, segment.ends[0].node, fabric);
    seen.insert(chain.begin(), chain.end());
    const std::vector<std::string_view> all(chain.begin(), chain.end());
    std::vector<std::string_view> ends;
    std::ranges::copy_if(all, std::back_inserter(ends),
                         [&](std::string_view node) { return neighbours.at(node).size() == 1; });
    for (const auto one : ends) {
      const auto& others = ends.size() > 1 ? ends : all;
      const auto apart = std::ranges::find_if(others, [&](std::string_view other) {
        return one != other && !share_a_segment(one, other, fabric);
      });
      if (apart == others.end()) continue;
      findings.add(
          SpecId::kOpenChain, segment.where,
          fmt::format("{} and {} have no path of their own", in_quotes(one), in_quotes(*apart)),
          fmt::format(
              "no RDMA between them, and NCCL over all nodes of this chain does not start: "
              "{}use a switch, or run jobs of nodes that a cable joins: `spark-reconcile export "
              "--nodes {},{}`",
              // Four of them would be a ring that NCCL's trees do not cross.
              chain.size() == 3 ? "join them by a cable, " : "", segment.ends[0].node,
              segment.ends[1].node));
      break;
    }
  }
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
  if (!mtu || path_mtu_of(mtu->value) == kLargestPathMtu) return;
  findings.add(SpecId::kRoceMtu, mtu->where, roce_mtu_message(mtu->value),
               std::string(kRoceMtuReason));
}

}  // namespace

std::string roce_mtu_message(std::uint32_t mtu_bytes, std::string_view link) {
  const auto what = link.empty() ? fmt::format("mtu {}", mtu_bytes)
                                 : fmt::format("mtu {} of {}", mtu_bytes, in_quotes(link));
  const auto packets = path_mtu_of(mtu_bytes);
  return packets == 0 ? what + " is too small for any RoCE packet"
                      : fmt::format("{} gives RoCE packets of {} bytes", what, packets);
}

void warn_about_fabric(const Checked& checked, Findings& findings) {
  const Fabric& fabric = checked.cluster.fabric;
  const auto on_rings = nodes_on_rings(fabric);
  warn_about_mtu(fabric.mtu, findings);
  warn_about_missing_mtu(fabric, findings);
  warn_about_long_rings(fabric, on_rings, findings);
  warn_about_open_chains(fabric, findings);
  for (const Segment& segment : fabric.segments) {
    if (!segment.external) warn_about_mtu(segment.mtu, findings);  // no RDMA goes there
    warn_if_half(checked.cluster, segment, findings);
    warn_about_one_rail(checked.cluster, segment, findings);
    if (!is_on_ring(segment, on_rings)) continue;
    warn_about_ring_subnets(segment, findings);
  }
  warn_about_same_cages(fabric, on_rings, findings);
}

}  // namespace spark::config
