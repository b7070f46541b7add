// Links by name: what their own lines contradict, in themselves and in the cable they belong to.

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "config/cages.hpp"
#include "config/check/check_sections.hpp"

namespace spark::config {
namespace {

void check_one(const std::string& name, const LinkSpec& link, Findings& findings) {
  if (link.exclusive && link.owner_host) {
    findings.add(SpecId::kExclusiveOfHost, link.where,
                 fmt::format("{} is exclusive and owned by the host", in_quotes(name)),
                 "'owner: host' leaves every address alone, 'exclusive' removes those of others: "
                 "keep one");
  }
  if (link.up && !link.up->value && !link.addresses.empty()) {
    findings.add(SpecId::kDownWithAddresses, link.up->where,
                 fmt::format("{} is down and has addresses", in_quotes(name)),
                 "an address on a link that is down reaches nobody: delete one of the two",
                 {{link.addresses.front().where, "an address here"}});
  }
  const auto ipv6 = std::ranges::find_if(
      link.addresses, [](const auto& address) { return !address.value.ip.is_v4(); });
  if (link.mtu && ipv6 != link.addresses.end()) check_mtu_for_ipv6(*link.mtu, *ipv6, findings);
}

/// A rail of a cable or switch that is named under `links` too.
void check_rail(const Cluster& cluster, const std::string& name, const LinkSpec& link,
                const Segment& segment, Findings& findings) {
  const auto contradicts = [&](Where where, std::string message, std::string reason,
                               Related related) {
    findings.add(SpecId::kContradiction, where, std::move(message), std::move(reason),
                 {std::move(related)});
  };
  const Related here{segment.where, "used here"};
  if (link.owner_host) {
    contradicts(
        link.where,
        fmt::format("{} is owned by the host and a rail of {}", in_quotes(name), name_of(segment)),
        "the fabric gives it addresses, 'owner: host' forbids that: delete one of the two", here);
  }
  if (link.up && !link.up->value) {
    contradicts(link.up->where,
                fmt::format("{} is down and a rail of {}", in_quotes(name), name_of(segment)),
                "a rail in use is up: delete 'up: false', or the cable", here);
  }
  const auto mtu = mtu_of(cluster, segment);
  if (link.mtu && mtu && link.mtu->value != mtu->value) {
    contradicts(link.mtu->where,
                fmt::format("{} has mtu {} here and {} on {}", in_quotes(name), link.mtu->value,
                            mtu->value, name_of(segment)),
                "both ends and both rails of a cable need one MTU: set it on the cable",
                {mtu->where, "the other mtu is here"});
  }
}

/// One warning for all the nodes that have the same line.
class Warnings {
 public:
  void add(SpecId id, std::string message, std::string_view reason, const std::string& node,
           Where where) {
    places_[{id, std::move(message), reason}].push_back({where, node});
  }

  void report(Findings& findings) {
    for (auto& [what, places] : places_) {
      std::ranges::sort(places);
      const auto& [id, message, reason] = what;
      findings.add(id, places.front().first, message, std::string(reason), others(places));
    }
  }

 private:
  using Places = std::vector<std::pair<Where, std::string>>;

  static std::vector<Related> others(const Places& places) {
    constexpr std::size_t kMost = 3;
    std::vector<Related> related;
    for (std::size_t i = 1; i < places.size() && i <= kMost; ++i) {
      const auto& [where, node] = places[i];
      const bool last = i == kMost && places.size() - 1 > kMost;
      related.push_back({where, last ? fmt::format("on {} too, and on {} more", in_quotes(node),
                                                   places.size() - 1 - kMost)
                                     : fmt::format("on {} too", in_quotes(node))});
    }
    return related;
  }

  std::map<std::tuple<SpecId, std::string, std::string_view>, Places> places_;
};

/// What the file does with one rail of a cage.
struct RailUse {
  const std::string* name = nullptr;
  const LinkSpec* link = nullptr;  ///< null: not named under `links`
  bool of_segment = false;         ///< a cable or switch uses it

  [[nodiscard]] bool ours() const { return link != nullptr && !link->owner_host; }
  [[nodiscard]] bool has_addresses() const { return ours() && !link->addresses.empty(); }
  [[nodiscard]] bool is_used() const {
    return of_segment || has_addresses() || (ours() && link->up && link->up->value);
  }
  [[nodiscard]] bool is_down() const { return ours() && link->up && !link->up->value; }
};

void warn_about_cage(const std::string& node, const std::array<RailUse, 2>& rails,
                     Warnings& warnings) {
  for (std::size_t i = 0; i < rails.size(); ++i) {
    const RailUse& rail = rails.at(i);
    const RailUse& twin = rails.at(1 - i);
    if (rail.is_down() && !rail.of_segment && twin.is_used()) {
      warnings.add(SpecId::kTwinDown,
                   fmt::format("{} is down, and it is the other rail of a cage in use",
                               in_quotes(*rail.name)),
                   "both rails are connected to one cable: delete 'up: false', and give the rail "
                   "an address in a subnet of its own",
                   node, rail.link->up->where);
    }
    const bool whole = rail.of_segment || twin.of_segment || twin.has_addresses();
    if (rail.has_addresses() && !whole) {
      warnings.add(SpecId::kHalfTheCable,
                   fmt::format("half the cable: of its cage, {} alone has an address",
                               in_quotes(*rail.name)),
                   "a cage has two rails of about 100 Gb/s each: give the other rail an address in "
                   "a subnet of its own",
                   node, rail.link->where);
    }
  }
}

/// Of a rail that is ours and carries RDMA. What its cable or switch says is told there.
void warn_about_mtu_of_rail(const Checked& checked, const std::string& node,
                            const std::string& name, Rail rail, Warnings& warnings) {
  const NodeSpec& spec = checked.cluster.nodes.at(node);
  const LinkSpec& link = spec.links.at(name);
  const bool is_of_others = link.owner_host || (spec.management && spec.management->value == name);
  const bool is_down = link.up && !link.up->value;
  if (!link.mtu || is_of_others || is_down) return;
  if (path_mtu_of(link.mtu->value) == kLargestPathMtu) return;
  if (const Segment* segment = checked.segment_at(node, rail.cage)) {
    const auto mtu = mtu_of(checked.cluster, *segment);
    if (segment->external || (mtu && mtu->value == link.mtu->value)) return;
  }
  warnings.add(SpecId::kRoceMtu, roce_mtu_message(link.mtu->value, name), kRoceMtuReason, node,
               link.mtu->where);
}

/// With two, as cable and Wi-Fi in one LAN, the kernel's choice does little harm.
void warn_about_host_links(const std::string& name, const NodeSpec& node, Findings& findings) {
  constexpr std::size_t kMany = 3;
  std::map<IpPrefix, std::vector<Where>> links;
  for (const auto& [link, spec] : node.links) {
    std::set<IpPrefix> subnets;
    for (const auto& address : spec.addresses) {
      const auto subnet = address.value.network();
      if (spec.owner_host && subnets.insert(subnet).second) links[subnet].push_back(address.where);
    }
  }
  for (auto& [subnet, places] : links) {
    if (places.size() < kMany) continue;
    std::ranges::sort(places);
    std::vector<Related> related;
    for (std::size_t i = 0; i + 1 < kMany; ++i) related.push_back({places[i], "one of them"});
    findings.add(
        SpecId::kHostLinksInOneSubnet, places[kMany - 1],
        fmt::format("{} links of {} in one subnet, {}", places.size(), in_quotes(name),
                    subnet.text()),
        "the kernel sends all that goes there through one of them, and answers ARP on all: "
        "have their manager give each a subnet of its own, or use one",
        std::move(related));
  }
}

}  // namespace

void check_links(const Checked& checked, Findings& findings) {
  for (const auto& [node_name, node] : checked.cluster.nodes) {
    for (const auto& [name, link] : node.links) {
      check_one(name, link, findings);
      const auto rail = rail_of(node, name);
      const Segment* segment = rail ? checked.segment_at(node_name, rail->cage) : nullptr;
      if (segment != nullptr && static_cast<std::size_t>(rail->rail) < rail_count(*segment)) {
        check_rail(checked.cluster, name, link, *segment, findings);
      }
    }
  }
}

void warn_about_links(const Checked& checked, Findings& findings) {
  constexpr int kMostCages = 16;
  Warnings warnings;
  for (const auto& [node_name, node] : checked.cluster.nodes) {
    std::map<int, std::array<RailUse, 2>> cages;
    for (int cage = 0; cage < kMostCages; ++cage) {
      const Segment* segment = checked.segment_at(node_name, cage);
      const std::size_t count = segment != nullptr ? rail_count(*segment) : 0;
      for (std::size_t rail = 0; rail < count; ++rail) cages[cage].at(rail).of_segment = true;
    }
    for (const auto& [name, link] : node.links) {
      const auto rail = rail_of(node, name);
      if (!rail) continue;
      RailUse& use = cages[rail->cage].at(rail->rail);
      use.name = &name;
      use.link = &link;
      warn_about_mtu_of_rail(checked, node_name, name, *rail, warnings);
    }
    for (const auto& [cage, rails] : cages) {
      if (rails_of_cage(node, cage) > 1) warn_about_cage(node_name, rails, warnings);
    }
  }
  warnings.report(findings);
  for (const auto& [name, node] : checked.cluster.nodes) {
    warn_about_host_links(name, node, findings);
  }
}

}  // namespace spark::config
