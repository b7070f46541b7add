// Addresses across the whole file: none twice, no two subnets that overlap, none that a fabric
// link cannot have.

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "spec/check_sections.hpp"

namespace spark {
namespace {

/// One address that the file gives to one link.
struct Claim {
  IpPrefix prefix;
  Where where;
  std::string_view node;
  const Segment* segment = nullptr;     ///< of a rail, by a cable or switch
  std::size_t rail = 0;                 ///< of it
  const At<std::uint64_t>* host = nullptr;  ///< the number that it comes from
  std::string_view link;                ///< of a link by name
  const LinkSpec* link_spec = nullptr;
};

/// One subnet with one of those who use it.
struct Use {
  IpPrefix network;
  Where where;
  const Claim* link = nullptr;        ///< of a link by name
  const Segment* segment = nullptr;   ///< of a cable or switch
  std::size_t rail = 0;
};

/// Two free /24s of the file, as the two subnets of a cable.
std::string free_subnets(const std::vector<Use>& uses) {
  std::string text;
  for (int third = 177, found = 0; third < 255 && found < 2; ++third) {
    const auto subnet = *IpPrefix::parse(fmt::format("192.168.{}.0/24", third));
    const bool taken = std::ranges::any_of(
        uses, [&](const Use& use) { return use.network.overlaps(subnet); });
    if (taken) continue;
    text += (found++ == 0 ? "" : ", ") + subnet.text();
  }
  return text;
}

/// A line to paste in place of a link-local address: the cable's own ends, or else the first two
/// nodes of the file.
std::string cable_line(const Cluster& cluster, const Segment* segment,
                       const std::vector<Use>& uses) {
  std::vector<std::string> ends;
  if (segment != nullptr && segment->ends.size() == 2) {
    for (const CageEnd& end : segment->ends) ends.push_back(fmt::format("{}:{}", end.node, end.cage));
  } else {
    for (const auto& [name, node] : cluster.nodes) {
      if (ends.size() < 2) ends.push_back(name + ":0");
    }
  }
  ends.resize(2, "spark2:0");
  return fmt::format("- {{ ends: [{}, {}], subnets: [{}] }}", ends[0], ends[1], free_subnets(uses));
}

/// Why no link can have this address; empty when one can.
std::string_view unusable(const IpPrefix& prefix) {
  if (prefix.ip.is_loopback()) return "a loopback address";
  if (prefix.ip.is_multicast()) return "a multicast address";
  if (prefix.ip.is_unspecified()) return "no address at all";
  return {};
}

/// Also why no host can have it.
std::string_view unusable_host(const IpPrefix& prefix) {
  const std::string_view why = unusable(prefix);
  if (!why.empty() || !prefix.ip.is_v4() || prefix.prefix_len > 30) return why;
  if (prefix == prefix.network()) return "the number of its subnet";
  const auto last = prefix.host(prefix.last_host());
  return last && *last < prefix.ip ? "the broadcast address of its subnet" : "";
}

class AddressCheck {
 public:
  AddressCheck(const Checked& checked, Findings& findings)
      : checked_(checked), cluster_(checked.cluster), findings_(findings) {
    for (const Segment& segment : cluster_.fabric.segments) collect(segment);
    for (const auto& [name, node] : cluster_.nodes) collect(name, node);
    collect_uses();
  }

  void run() {
    check_each();
    check_twice();
    check_overlaps();
  }

 private:
  void collect(const Segment& segment) {
    for (const CageEnd& end : segment.ends) {
      const auto node = cluster_.nodes.find(end.node);
      if (node == cluster_.nodes.end()) continue;
      for (std::size_t rail = 0; rail < end.addresses.size(); ++rail) {
        const auto& [prefix, where] = end.addresses[rail];
        claims_.push_back({.prefix = prefix, .where = where, .node = end.node,
                           .segment = &segment, .rail = rail});
      }
      if (!segment.subnets.empty()) collect_numbered(segment, end, node->second);
    }
  }

  /// The addresses that a node's number gives it in the subnets of one cable or switch.
  void collect_numbered(const Segment& segment, const CageEnd& end, const NodeSpec& node) {
    if (!node.host) {
      report_host_missing(end, node);
      return;
    }
    for (std::size_t rail = 0; rail < segment.subnets.size(); ++rail) {
      const auto& [subnet, where] = segment.subnets[rail];
      const auto ip = subnet.host(node.host->value);
      if (ip) {
        claims_.push_back({.prefix = {*ip, subnet.prefix_len}, .where = end.where,
                           .node = end.node, .segment = &segment, .rail = rail,
                           .host = &*node.host});
      } else {
        findings_.add(SpecId::kHostOutsideSubnet, node.host->where,
                      fmt::format("host number {} is outside {}", node.host->value,
                                  subnet.network().text()),
                      fmt::format("numbers up to {} fit there", subnet.last_host()),
                      {{where, "the subnet is here"}});
      }
    }
  }

  void report_host_missing(const CageEnd& end, const NodeSpec& node) {
    if (findings_.structure_is_broken() || !without_host_.insert(&node).second) return;
    findings_.add(SpecId::kHostMissing, node.where,
                  fmt::format("{} has no host number", quoted(end.node)),
                  fmt::format("its cables have subnets, and it needs its number in them: {}: {{ "
                              "host: 11 }}",
                              printable(end.node)),
                  {{end.where, "needed here"}});
  }

  void collect(std::string_view name, const NodeSpec& node) {
    for (const auto& [link, spec] : node.links) {
      for (const auto& [prefix, where] : spec.addresses) {
        claims_.push_back({.prefix = prefix, .where = where, .node = name, .link = link,
                           .link_spec = &spec});
      }
    }
  }

  void collect_uses() {
    for (const Segment& segment : cluster_.fabric.segments) {
      for (std::size_t rail = 0; rail < segment.subnets.size(); ++rail) {
        const auto& [subnet, where] = segment.subnets[rail];
        uses_.push_back({.network = subnet.network(), .where = where, .segment = &segment,
                         .rail = rail});
      }
    }
    for (const Claim& claim : claims_) {
      if (claim.host != nullptr) continue;
      Use use{.network = claim.prefix.network(), .where = claim.where, .segment = claim.segment,
              .rail = claim.rail};
      if (claim.link_spec != nullptr) use.link = &claim;
      uses_.push_back(use);
    }
    std::ranges::sort(uses_, [](const Use& a, const Use& b) {
      return std::tie(a.network, a.where) < std::tie(b.network, b.where);
    });
    // Many addresses of one link in one subnet are one use of it, and so are the ends of a rail.
    const auto same = [](const Use& a, const Use& b) {
      if (a.network != b.network || a.segment != b.segment || a.rail != b.rail) return false;
      return a.link == nullptr || b.link == nullptr
                 ? a.link == b.link
                 : a.link->link_spec == b.link->link_spec;
    };
    const auto repeated = std::ranges::unique(uses_, same);
    uses_.erase(repeated.begin(), repeated.end());
  }

  void check_each() {
    for (const Segment& segment : cluster_.fabric.segments) {
      for (const auto& [subnet, where] : segment.subnets) {
        check_one(subnet, where, &segment, unusable(subnet));
      }
    }
    for (const Claim& claim : claims_) {
      const bool compared_only = claim.link_spec != nullptr && claim.link_spec->owner_host;
      if (claim.host != nullptr || compared_only) continue;
      check_one(claim.prefix, claim.where, claim.segment, unusable_host(claim.prefix));
    }
  }

  void check_one(const IpPrefix& prefix, Where where, const Segment* segment,
                 std::string_view why_unusable) {
    if (prefix.ip.is_link_local()) {
      findings_.add(SpecId::kLinkLocal, where,
                    fmt::format("{} is link-local", quoted(prefix.text())),
                    fmt::format("every link has the same link-local network, so no route tells the "
                                "rails apart;\nwrite under fabric.cables: {}",
                                cable_line(cluster_, segment, uses_)));
    } else if (!why_unusable.empty()) {
      findings_.add(SpecId::kAddressUnusable, where,
                    fmt::format("{} is {}", quoted(prefix.text()), why_unusable),
                    "no link can have it: choose another");
    }
  }

  void check_twice() {
    std::ranges::stable_sort(claims_, [](const Claim& a, const Claim& b) {
      return std::tie(a.prefix.ip, a.where) < std::tie(b.prefix.ip, b.where);
    });
    for (std::size_t i = 1, first = 0; i < claims_.size(); ++i) {
      if (claims_[i].prefix.ip != claims_[first].prefix.ip) {
        first = i;
      } else {
        report_twice(claims_[first], claims_[i]);
      }
    }
  }

  void report_twice(const Claim& first, const Claim& second) {
    if (first.host != nullptr && second.host != nullptr) {
      // Numbers of different cables clash only where subnets overlap, which is reported itself;
      // one node at both ends likewise.
      if (first.segment != second.segment || first.node == second.node) return;
      const auto [earlier, later] = std::minmax(first.host->where, second.host->where);
      if (!same_numbers_.insert(later).second) return;
      findings_.add(SpecId::kAddressTwice, later,
                    fmt::format("{} and {} have the same host number {}", quoted(first.node),
                                quoted(second.node), first.host->value),
                    fmt::format("both would be {} on {}", first.prefix.ip.text(),
                                name_of(*first.segment)),
                    {{earlier, "first here"}});
      return;
    }
    findings_.add(SpecId::kAddressTwice, second.where,
                  fmt::format("address {} twice", first.prefix.ip.text()),
                  "an address belongs to one link of one node", {{first.where, "first here"}});
  }

  /// Subnets either hold one another or are apart: sorted, those that hold the next one are on a
  /// stack.
  void check_overlaps() {
    std::vector<const Use*> holding;
    for (const Use& use : uses_) {
      while (!holding.empty() && !holding.back()->network.contains(use.network.ip)) {
        holding.pop_back();
      }
      const auto clash = std::find_if(holding.rbegin(), holding.rend(),
                                      [&](const Use* other) { return clashes(use, *other); });
      if (clash != holding.rend()) report_overlap(use, **clash);
      holding.push_back(&use);
    }
  }

  [[nodiscard]] bool clashes(const Use& a, const Use& b) const {
    if (a.segment != nullptr && b.segment != nullptr) {
      return a.segment != b.segment || a.rail != b.rail;
    }
    if (a.segment != nullptr) return !is_rail_itself(*b.link, *a.segment, a.rail);
    if (b.segment != nullptr) return !is_rail_itself(*a.link, *b.segment, b.rail);
    // Links by name of different nodes may well hang on one wire.
    return a.link->node == b.link->node && a.link->link != b.link->link &&
           !(a.link->link_spec->owner_host && b.link->link_spec->owner_host);
  }

  [[nodiscard]] bool is_rail_itself(const Claim& link, const Segment& segment,
                                    std::size_t rail_number) const {
    const auto rail = rail_of(cluster_.nodes.at(std::string(link.node)), link.link);
    return rail && static_cast<std::size_t>(rail->rail) == rail_number &&
           checked_.segment_at(link.node, rail->cage) == &segment;
  }

  [[nodiscard]] bool are_twins(const Use& a, const Use& b) const {
    if (a.segment != nullptr || b.segment != nullptr) return a.segment == b.segment;
    const NodeSpec& node = cluster_.nodes.at(std::string(a.link->node));
    const auto rail = rail_of(node, a.link->link);
    const auto other = rail_of(node, b.link->link);
    return rail && other && rail->cage == other->cage;
  }

  void report_overlap(const Use& a, const Use& b) {
    const auto& [earlier, later] =
        a.where < b.where ? std::pair(a, b) : std::pair(b, a);
    if (are_twins(a, b)) {
      findings_.add(SpecId::kTwinsInOneSubnet, later.where,
                    fmt::format("both rails of a cage in one subnet, {}", a.network.text()),
                    "the kernel sends all that goes to a subnet through one link: half the cable "
                    "would stay idle,\nand answers would come from the wrong rail; give each rail "
                    "a subnet of its own",
                    {{earlier.where, "the other rail"}});
    } else if (a.network == b.network) {
      findings_.add(SpecId::kSubnetsOverlap, later.where,
                    fmt::format("subnet {} is used twice", a.network.text()),
                    "two links would lead to the same addresses: choose another subnet",
                    {{earlier.where, "first here"}});
    } else {
      findings_.add(SpecId::kSubnetsOverlap, later.where,
                    fmt::format("{} overlaps {}", later.network.text(), earlier.network.text()),
                    "two links would lead to the same addresses: choose another subnet",
                    {{earlier.where, "first here"}});
    }
  }

  const Checked& checked_;
  const Cluster& cluster_;
  Findings& findings_;
  std::vector<Claim> claims_;
  std::vector<Use> uses_;
  std::set<const NodeSpec*> without_host_;
  std::set<Where> same_numbers_;
};

}  // namespace

void check_addresses(const Checked& checked, Findings& findings) {
  AddressCheck(checked, findings).run();
}

}  // namespace spark
