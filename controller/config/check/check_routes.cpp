// Routes of links: what the kernel would refuse, and what would lead elsewhere than it says.

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "config/cages.hpp"
#include "config/check/check_sections.hpp"

namespace spark::config {
namespace {

/// Each with its subnet, by link; those of rails that have a name of their own in no line stand
/// under "".
using OwnAddresses = std::multimap<std::string, IpPrefix>;

std::vector<IpPrefix> rails_of(const Checked& checked, const NodeSpec& node, const Segment& segment,
                               const CageEnd& end) {
  std::vector<IpPrefix> rails;
  for (const auto& address : end.addresses) rails.push_back(address.value);
  if (!rails.empty() || !node.number) return rails;
  for (const auto& subnet : segment.subnets) {
    const auto ip = subnet.value.host(node.number->value);
    if (ip) rails.push_back({*ip, subnet.value.prefix_len});
  }
  rails.resize(std::min(rails.size(), rails_at(checked.cluster, segment, end)));
  return rails;
}

OwnAddresses addresses_of(const Checked& checked, const std::string& name, const NodeSpec& node) {
  OwnAddresses addresses;
  for (const auto& [link, spec] : node.links) {
    for (const auto& address : spec.addresses) addresses.emplace(link, address.value);
  }
  for (const auto& segment : checked.cluster.fabric.segments) {
    for (const auto& end : segment.ends) {
      if (end.node != name) continue;
      const auto rails = rails_of(checked, node, segment, end);
      for (std::size_t i = 0; i < rails.size(); ++i) {
        const Rail rail{end.cage, static_cast<int>(i)};
        const auto link = std::ranges::find_if(
            node.links, [&](const auto& entry) { return rail_of(node, entry.first) == rail; });
        addresses.emplace(link == node.links.end() ? "" : link->first, rails[i]);
      }
    }
  }
  return addresses;
}

void check_destination(const RouteSpec& route, const OwnAddresses& own, Findings& findings) {
  const auto& [to, where] = route.to;
  constexpr std::uint8_t kLeastOfIpv4 = 8;
  constexpr std::uint8_t kLeastOfIpv6 = 16;
  if (to.prefix_len < (to.ip.is_v4() ? kLeastOfIpv4 : kLeastOfIpv6)) {
    findings.add(SpecId::kRouteDestination, where,
                 to.prefix_len == 0 ? "a default route" : "a route to a large part of everywhere",
                 "it would take this machine's way to everywhere else: leave it to what manages "
                 "the management link");
    return;
  }
  if (to != to.network()) {
    findings.add(SpecId::kSubnetHostBits, where,
                 fmt::format("{} is an address, not a subnet", in_quotes(to.text())),
                 fmt::format("write {}, or {} for this one address", to.network().text(),
                             IpPrefix{to.ip, to.ip.bits()}.text()));
    return;
  }
  if (to.ip.is_multicast() || to.ip.is_loopback() || to.ip.is_link_local()) {
    findings.add(SpecId::kRouteDestination, where,
                 fmt::format("{} is behind no other node", in_quotes(to.text())),
                 "multicast, loopback and link-local addresses stay on their link");
    return;
  }
  const auto rail = std::ranges::find_if(own, [&](const auto& entry) {
    const auto subnet = entry.second.network();
    return subnet.prefix_len < subnet.ip.bits() && to.prefix_len >= subnet.prefix_len &&
           subnet.contains(to.ip);
  });
  if (rail != own.end()) {
    findings.add(
        SpecId::kRouteDestination, where,
        fmt::format("{} is in a subnet of this node, {}", in_quotes(to.text()),
                    rail->second.network().text()),
        "who is there is reached over the link of that subnet, and RDMA takes no other way: "
        "delete the route");
  }
}

void check_way(const std::string& link, const RouteSpec& route, const OwnAddresses& own,
               Findings& findings) {
  const auto family = route.to.value.ip.family();
  const auto is_of_other_family = [&](const std::optional<At<IpAddress>>& ip) {
    return ip && ip->value.family() != family;
  };
  for (const auto* ip : {&route.via, &route.source}) {
    if (!is_of_other_family(*ip)) continue;
    findings.add(SpecId::kRouteWay, (*ip)->where,
                 fmt::format("{} is of another family than {}", in_quotes((*ip)->value.text()),
                             in_quotes(route.to.value.text())),
                 "write two IPv4 or two IPv6 addresses");
    return;
  }
  const auto [first, last] = own.equal_range(link);
  const bool is_in_subnet = !route.via || route.via->value.is_link_local() ||
                            std::any_of(first, last, [&](const auto& entry) {
                              return entry.second.network().contains(route.via->value);
                            });
  if (!is_in_subnet) {
    findings.add(SpecId::kRouteWay, route.via->where,
                 fmt::format("{} is in no subnet of {}", in_quotes(route.via->value.text()),
                             in_quotes(link)),
                 "the next node on the way has to be at the other end of the link: give the link "
                 "an address there, or correct 'via'");
  }
  const bool is_itself = route.via && std::ranges::any_of(own, [&](const auto& entry) {
                           return entry.second.ip == route.via->value;
                         });
  if (is_itself) {
    findings.add(SpecId::kRouteWay, route.via->where,
                 fmt::format("{} is this node itself", in_quotes(route.via->value.text())),
                 "'via' is the next node on the way: write its address on this link");
  }
  const bool is_own_source = !route.source || std::ranges::any_of(own, [&](const auto& entry) {
    return entry.second.ip == route.source->value;
  });
  if (!is_own_source) {
    findings.add(
        SpecId::kRouteWay, route.source->where,
        fmt::format("{} is no address of this node", in_quotes(route.source->value.text())),
        "a source is an address that this file gives the node, as one of 'lo'");
  }
}

void check_link(const NodeSpec& node, const std::string& name, const LinkSpec& link,
                Findings& findings) {
  const auto& first = link.routes.front();
  if (link.owner_host || (node.management && node.management->value == name)) {
    findings.add(SpecId::kRouteOfHost, first.where,
                 fmt::format("a route by {}, which is {}", in_quotes(name),
                             link.owner_host ? "owned by the host" : "the management link"),
                 "its own manager sets its routes: write them there");
  }
  if (link.up && !link.up->value) {
    findings.add(SpecId::kDownWithAddresses, link.up->where,
                 fmt::format("{} is down and has routes", in_quotes(name)),
                 "a link that is down leads nowhere: delete one of the two",
                 {{first.where, "a route here"}});
  }
}

}  // namespace

void check_routes(const Checked& checked, Findings& findings) {
  for (const auto& [name, node] : checked.cluster.nodes) {
    std::map<std::pair<IpPrefix, std::uint32_t>, Where> seen;
    OwnAddresses own;
    for (const auto& [link_name, link] : node.links) {
      if (link.routes.empty()) continue;
      if (own.empty()) own = addresses_of(checked, name, node);
      check_link(node, link_name, link, findings);
      for (const auto& route : link.routes) {
        if (route.to.where.line == 0) continue;  // that is said already
        check_destination(route, own, findings);
        check_way(link_name, route, own, findings);
        const auto [other, is_new] =
            seen.try_emplace({route.to.value, metric_of(route)}, route.where);
        if (is_new) continue;
        findings.add(SpecId::kRouteTwice, route.where,
                     fmt::format("two routes to {}", in_quotes(route.to.value.text())),
                     "the kernel takes the one of the lower metric: give one of them a 'metric', "
                     "or delete it",
                     {{other->second, "the other is here"}});
      }
    }
  }
}

}  // namespace spark::config
