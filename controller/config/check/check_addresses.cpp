// Addresses one by one: each of a sort that a link can have, each within its subnet, none twice.

#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "config/check/check_claims.hpp"

namespace spark::config {
namespace {

void report_number_missing(const Cluster& cluster, const CageEnd& end, const NodeSpec& node,
                           Findings& findings) {
  findings.add(
      SpecId::kNumberMissing, node.where, fmt::format("{} has no number", in_quotes(end.node)),
      fmt::format("its cables have subnets, and it needs its number in them: add number: {}",
                  free_number(cluster, end.node)),
      {{end.where, "needed here"}});
}

void report_number_outside(const At<IpPrefix>& subnet, const At<std::uint64_t>& host,
                           Findings& findings) {
  const auto first = subnet.value.host(0) ? 0 : 1;
  const auto last = subnet.value.last_host();
  findings.add(SpecId::kNumberOutsideSubnet, host.where,
               fmt::format("number {} is outside {}", host.value, subnet.value.network().text()),
               last == 0 ? "no node has a place in it: use a larger subnet, as a /24"
                         : fmt::format("numbers {} to {} fit there", first, last),
               {{subnet.where, "the subnet is here"}});
}

void check_numbers(const Cluster& cluster, Findings& findings) {
  std::set<const NodeSpec*> reported;
  for (const Segment& segment : cluster.fabric.segments) {
    for (const CageEnd& end : segment.ends) {
      const auto found = cluster.nodes.find(end.node);
      if (found == cluster.nodes.end() || segment.subnets.empty()) continue;
      const NodeSpec& node = found->second;
      if (!node.number) {
        const bool is_absent = !findings.structure_is_broken();
        if (is_absent && reported.insert(&node).second) {
          report_number_missing(cluster, end, node, findings);
        }
        continue;
      }
      const auto outside = std::ranges::find_if(segment.subnets, [&](const auto& subnet) {
        return !subnet.value.host(node.number->value);
      });
      if (outside != segment.subnets.end() && reported.insert(&node).second) {
        report_number_outside(*outside, *node.number, findings);
      }
    }
  }
}

/// Two free /24s, as the subnets of a cable.
std::string free_subnets(const Cluster& cluster, const std::vector<Claim>& claims) {
  const auto is_taken = [&](const IpPrefix& subnet) {
    return std::ranges::any_of(claims,
                               [&](const Claim& claim) { return claim.prefix.overlaps(subnet); }) ||
           std::ranges::any_of(cluster.fabric.segments, [&](const Segment& segment) {
             return std::ranges::any_of(
                 segment.subnets, [&](const auto& other) { return other.value.overlaps(subnet); });
           });
  };
  std::vector<std::string> free;
  for (int third = 177; third < 255 && free.size() < 2; ++third) {
    const auto subnet = IpPrefix::parse(fmt::format("192.168.{}.0/24", third));
    if (subnet && !is_taken(*subnet)) free.push_back(subnet->text());
  }
  return fmt::format("{}", fmt::join(free, ", "));
}

/// The ends of a cable to paste in place of link-local addresses: those of the same cable, or the
/// link's own cage and that of another node.
std::vector<std::string> ends_to_paste(const Cluster& cluster, const Claim& claim) {
  std::vector<std::string> ends;
  if (claim.segment != nullptr) {
    for (const CageEnd& end : claim.segment->ends) {
      ends.push_back(fmt::format("{}:{}", end.node, end.cage));
    }
    return ends;
  }
  const auto rail = rail_of(*claim.node_spec, claim.link);
  const int cage = rail ? rail->cage : 0;
  const auto other = std::ranges::find_if(
      cluster.nodes, [&](const auto& node) { return node.first != claim.node; });
  const std::string peer = other != cluster.nodes.end() ? other->first : "other";
  return {fmt::format("{}:{}", claim.node, cage), fmt::format("{}:{}", peer, cage)};
}

void report_link_local(const Cluster& cluster, const Claim& claim, const std::string& subnets,
                       Findings& findings) {
  const bool is_switch = claim.segment != nullptr && claim.segment->kind == Segment::Kind::kSwitch;
  const auto ends = ends_to_paste(cluster, claim);
  findings.add(
      SpecId::kLinkLocal, claim.where,
      fmt::format("{} is link-local", in_quotes(claim.prefix.text())),
      fmt::format("every link has the same link-local network, so no route tells the rails apart; "
                  "write under fabric.{}:\n- {{ {}{}: [{}], subnets: [{}] }}",
                  is_switch ? "switches" : "cables",
                  is_switch ? fmt::format("name: {}, ", claim.segment->name) : "",
                  is_switch ? "ports" : "ends", fmt::join(ends, ", "), subnets));
}

/// Why no host can have this address in this subnet.
std::string_view why_no_host_has(const IpPrefix& prefix) {
  const auto why = why_unusable(prefix.ip);
  if (!why.empty()) return why;
  if (prefix.prefix_len == 0) return "an address whose subnet would be everything";
  // Two hosts share a /31 (RFC 3021) or a /127 (RFC 6164) whole.
  if (prefix.prefix_len > prefix.ip.bits() - 2) return {};
  if (prefix == prefix.network()) {
    return prefix.ip.is_v4() ? "the number of its subnet"
                             : "the address of all routers of its subnet (RFC 4291, 2.6.1)";
  }
  if (!prefix.ip.is_v4()) return {};
  const auto last = prefix.host(prefix.last_host());
  return last && *last < prefix.ip ? "the broadcast address of its subnet" : "";
}

void check_each(const Cluster& cluster, const std::vector<Claim>& claims, Findings& findings) {
  std::string subnets;  // found when the first line is needed
  const auto check_one = [&](const Claim& claim, std::string_view unusable) {
    if (claim.prefix.ip.is_link_local()) {
      if (subnets.empty()) subnets = free_subnets(cluster, claims);
      report_link_local(cluster, claim, subnets, findings);
    } else if (!unusable.empty()) {
      findings.add(SpecId::kAddressUnusable, claim.where,
                   fmt::format("{} is {}", in_quotes(claim.prefix.text()), unusable),
                   "no link can have it: choose another");
    }
  };
  for (const Segment& segment : cluster.fabric.segments) {
    for (const auto& [subnet, where] : segment.subnets) {
      check_one({.prefix = subnet, .where = where, .segment = &segment}, why_unusable(subnet.ip));
    }
  }
  for (const Claim& claim : claims) {
    const bool compared_only = claim.link_spec != nullptr && claim.link_spec->owner_host;
    if (claim.numbered || compared_only) continue;
    check_one(claim, why_no_host_has(claim.prefix));
  }
}

/// Two nodes of one cable or switch with one number. Reported once for all their subnets.
void report_same_number(const Cluster& cluster, const Claim& first, const Claim& second,
                        std::set<Where>& reported, Findings& findings) {
  // Numbers of different cables clash only where the subnets overlap, which is reported as such.
  // One node at both ends of a cable is reported as such, too.
  if (first.segment != second.segment || first.node == second.node) return;
  const auto& number = *first.node_spec->number;
  const auto [earlier, later] = std::minmax(number.where, second.node_spec->number->where);
  if (!reported.insert(later).second) return;
  const std::string of_later(later == number.where ? first.node : second.node);
  findings.add(
      SpecId::kAddressTwice, later,
      fmt::format("{} and {} have the same number {}", in_quotes(first.node),
                  in_quotes(second.node), number.value),
      fmt::format("both would be {} on {}: give {} another, as number: {}", first.prefix.ip.text(),
                  name_of(*first.segment), in_quotes(of_later), free_number(cluster, of_later)),
      {{earlier, "first here"}});
}

void check_twice(const Cluster& cluster, const std::vector<Claim>& claims, Findings& findings) {
  std::vector<const Claim*> sorted;
  sorted.reserve(claims.size());
  for (const Claim& claim : claims) sorted.push_back(&claim);
  std::ranges::sort(sorted, [](const Claim* a, const Claim* b) {
    return std::tie(a->prefix.ip, a->where) < std::tie(b->prefix.ip, b->where);
  });
  std::set<Where> same_number;
  const Claim* first = nullptr;
  for (const Claim* claim : sorted) {
    if (first == nullptr || claim->prefix.ip != first->prefix.ip) {
      first = claim;
    } else if (first->numbered && claim->numbered) {
      report_same_number(cluster, *first, *claim, same_number, findings);
    } else {
      findings.add(SpecId::kAddressTwice, claim->where,
                   fmt::format("address {} twice", claim->prefix.ip.text()),
                   "an address belongs to one link of one node", {{first->where, "first here"}});
    }
  }
}

}  // namespace

void check_addresses(const Checked& checked, Findings& findings) {
  const auto claims = claims_of(checked.cluster);
  check_numbers(checked.cluster, findings);
  check_each(checked.cluster, claims, findings);
  check_twice(checked.cluster, claims, findings);
}

}  // namespace spark::config
