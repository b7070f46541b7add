// Cables and switches: their ends, and the subnets of their rails.
// Subnets across the whole file: no two links of a node lead to the same addresses.

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "config/cages.hpp"
#include "config/check/check_claims.hpp"
#include "config/check/check_sections.hpp"

namespace spark::config {
namespace {

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
    if (subnet != subnet.network() && !subnet.ip.is_link_local()) {
      findings.add(
          SpecId::kSubnetHostBits, where,
          fmt::format("{} is an address, not a subnet", in_quotes(subnet.text())),
          fmt::format("write {}: each node's 'number' fills in the rest", subnet.network().text()));
    }
  }
}

/// Ends with addresses of their own: each rail one subnet, and as many rails at every end. At a
/// switch an end has no more than its cage has.
void check_ends_agree(const Cluster& cluster, const Segment& segment, Findings& findings) {
  if (segment.ends.empty()) return;
  const bool on_switch = segment.kind == Segment::Kind::kSwitch;
  const auto is_whole = [&](const CageEnd& end) {
    return !on_switch || rails_of_cage(cluster, end) > 1;
  };
  const auto whole = std::ranges::find_if(segment.ends, is_whole);
  const CageEnd& first = whole == segment.ends.end() ? segment.ends.front() : *whole;
  for (const CageEnd& end : segment.ends) {
    const bool same = end.addresses.size() == first.addresses.size();
    const bool is_one_rail = !is_whole(end) && end.addresses.size() == 1;
    if (!findings.structure_is_broken() && !same && !is_one_rail) {
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
    check_ends_agree(cluster, segment, findings);
    check_mtu(cluster, segment, findings);
  }
}

namespace {

/// A subnet, and the first claim that uses it on its rail or link. A subnet without claims (of
/// nodes that lack a number) has one as well.
struct Use {
  IpPrefix network;
  Claim claim;
};

bool is_same_link(const Claim& a, const Claim& b) {
  return std::tie(a.segment, a.rail, a.link_spec) == std::tie(b.segment, b.rail, b.link_spec);
}

/// A single address is no subnet, and what no link can have is refused as such.
bool is_subnet(const IpPrefix& prefix) {
  return prefix.prefix_len > 0 && prefix.prefix_len < prefix.ip.bits() &&
         !prefix.ip.is_link_local() && why_unusable(prefix.ip).empty();
}

/// Sorted by network, one for each rail or link of a network.
std::vector<Use> uses_of(const Cluster& cluster) {
  std::vector<Use> uses;
  for (const Segment& segment : cluster.fabric.segments) {
    for (std::size_t rail = 0; rail < segment.subnets.size(); ++rail) {
      const auto& [subnet, where] = segment.subnets[rail];
      const Claim claim{.prefix = subnet, .where = where, .segment = &segment, .rail = rail};
      uses.push_back({subnet.network(), claim});
    }
  }
  for (const Claim& claim : claims_of(cluster)) {
    if (!claim.numbered) uses.push_back({claim.prefix.network(), claim});
  }
  std::erase_if(uses, [](const Use& use) { return !is_subnet(use.claim.prefix); });
  std::ranges::sort(uses, [](const Use& a, const Use& b) {
    return std::tie(a.network, a.claim.where) < std::tie(b.network, b.claim.where);
  });
  const auto repeated = std::ranges::unique(uses, [](const Use& a, const Use& b) {
    return a.network == b.network && is_same_link(a.claim, b.claim);
  });
  uses.erase(repeated.begin(), repeated.end());
  return uses;
}

/// True when a link by name is just that rail of the cable or switch.
bool is_rail_of(const Claim& link, const Claim& rail, const Checked& checked) {
  const auto known = rail_of(*link.node_spec, link.link);
  return known && static_cast<std::size_t>(known->rail) == rail.rail &&
         checked.segment_at(link.node, known->cage) == rail.segment;
}

bool clashes(const Claim& a, const Claim& b, const Checked& checked) {
  if (is_same_link(a, b)) return false;
  if (a.segment != nullptr && b.segment != nullptr) return true;
  if (a.segment != nullptr) return !is_rail_of(b, a, checked);
  if (b.segment != nullptr) return !is_rail_of(a, b, checked);
  // Links by name of two nodes may well be connected to one wire.
  return a.node_spec == b.node_spec && !(a.link_spec->owner_host && b.link_spec->owner_host);
}

bool are_twins(const Claim& a, const Claim& b) {
  if (a.segment != nullptr || b.segment != nullptr) return a.segment == b.segment;
  const auto rail = rail_of(*a.node_spec, a.link);
  const auto other = rail_of(*b.node_spec, b.link);
  return rail && other && rail->cage == other->cage;
}

void report(const Use& a, const Use& b, Findings& findings) {
  const bool in_order = a.claim.where < b.claim.where;
  const Use& earlier = in_order ? a : b;
  const Use& later = in_order ? b : a;
  if (are_twins(a.claim, b.claim)) {
    findings.add(SpecId::kTwinsInOneSubnet, later.claim.where,
                 a.network == b.network
                     ? fmt::format("both rails of a cage in one subnet, {}", a.network.text())
                     : fmt::format("both rails of a cage in one subnet: {} overlaps {}",
                                   later.network.text(), earlier.network.text()),
                 "the kernel sends all that goes to a subnet through one link: half the cable "
                 "would stay idle,\nand answers would come from the wrong rail; give each rail a "
                 "subnet of its own",
                 {{earlier.claim.where, "the other rail"}});
    return;
  }
  findings.add(SpecId::kSubnetsOverlap, later.claim.where,
               a.network == b.network ? fmt::format("subnet {} is used twice", a.network.text())
                                      : fmt::format("subnet {} overlaps {}", later.network.text(),
                                                    earlier.network.text()),
               "two links would lead to the same addresses: choose another subnet",
               {{earlier.claim.where, "first here"}});
}

}  // namespace

void check_subnets(const Checked& checked, Findings& findings) {
  const auto uses = uses_of(checked.cluster);
  // Two networks are apart, or one holds the other. Sorted, the holders of the next one are a
  // stack.
  std::vector<const Use*> holders;
  for (const Use& use : uses) {
    while (!holders.empty() && !holders.back()->network.contains(use.network.ip)) {
      holders.pop_back();
    }
    const auto clash = std::find_if(holders.rbegin(), holders.rend(), [&](const Use* holder) {
      return clashes(use.claim, holder->claim, checked);
    });
    if (clash != holders.rend()) report(use, **clash, findings);
    holders.push_back(&use);
  }
}

}  // namespace spark::config
