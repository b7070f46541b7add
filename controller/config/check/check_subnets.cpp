// Subnets across the whole file: no two links of a node lead to the same addresses.

#include <algorithm>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "config/check/check_claims.hpp"

namespace spark::config {
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
