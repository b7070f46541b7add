#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string>

#include <fmt/format.h>

#include "plan/refusals.hpp"
#include "plan/routes_over_links.hpp"

namespace spark::plan {
namespace {

/// A rule that leads to `table` is asked before the main table's rule.
bool comes_before_main(host::View& view, IpFamily family, std::uint32_t table) {
  const auto& rules = view.rules();
  if (!rules) return false;
  std::optional<std::uint32_t> main;
  std::optional<std::uint32_t> other;
  for (const auto& rule : *rules) {
    if (rule.family == family && (rule.table == host::kMainTable || rule.table == table)) {
      auto& first = rule.table == host::kMainTable ? main : other;
      first = std::min(first.value_or(rule.priority), rule.priority);
    }
  }
  return other && (!main || *other < *main);
}

/// The route that refuses packets to `ip`; the kernel's own answer is only an error.
std::optional<host::RouteInfo> refusing_route(host::View& view, const IpAddress& ip) {
  const auto& routes = view.routes();
  if (!routes) return std::nullopt;
  std::optional<host::RouteInfo> longest;
  for (const auto& route : *routes) {
    const bool matches = route.destination.contains(ip) && route.link_index == 0;
    if (matches && (!longest || route.destination.prefix_len > longest->destination.prefix_len)) {
      longest = route;
    }
  }
  return longest;
}

/// What this node talks to over one of its links.
struct Destination {
  std::string name;  ///< of the peer, or the target's NQN
  IpAddress ip;
  IpAddress local;  ///< our address on the link
  std::string link;
  IpPrefix subnet;
  config::Where where;
};

/// The targets whose link has, or is to have, an address in their subnet. Any other target is
/// behind a gateway, where no route is more right than another.
void add_targets(const config::Node& node, host::View& view,
                 std::vector<Destination>& destinations) {
  for (const auto& target : node.storage) {
    const auto* link = target.via ? view.link(target.via->value) : nullptr;
    if (link == nullptr) continue;
    std::vector<IpPrefix> own;
    if (const auto wanted = node.links.find(link->name); wanted != node.links.end()) {
      std::ranges::transform(wanted->second.addresses, std::back_inserter(own),
                             &config::At<IpPrefix>::value);
    }
    if (const auto& addresses = view.addresses()) {
      for (const auto& address : *addresses) {
        if (address.link_index == link->index) own.push_back(address.address);
      }
    }
    const auto near = std::ranges::find_if(
        own, [&](const IpPrefix& prefix) { return prefix.contains(target.address.value); });
    if (near != own.end()) {
      destinations.push_back({target.nqn.value, target.address.value, near->ip, link->name,
                              near->network(), target.via->where});
    }
  }
}

std::vector<Destination> destinations_of(const config::Node& node, host::View& view) {
  std::vector<Destination> destinations;
  destinations.reserve(node.peers.size());
  for (const auto& peer : node.peers) {
    destinations.push_back({peer.node, peer.ip, peer.local, peer.link, peer.subnet, peer.where});
  }
  add_targets(node, view, destinations);
  return destinations;
}

std::optional<host::RouteInfo> route_now(host::View& view, const Destination& to,
                                         const host::LinkInfo& link) {
  // The kernel takes only an address of its own as the source of a question.
  const bool held = view.address(link, to.local) != nullptr;
  const auto& route = view.route_to(to.ip, held ? std::optional(to.local) : std::nullopt);
  if (route) return *route;
  return route.error().code == ErrorCode::kNotFound ? std::nullopt : refusing_route(view, to.ip);
}

/// With a cable in it, or, while it is down and that cannot be told, about to be set up.
bool counts(const config::Node& node, const host::LinkInfo& link) {
  const auto wanted = node.links.find(link.name);
  const bool goes_up = wanted != node.links.end() && wanted->second.up && wanted->second.up->value;
  return link.carrier || (!link.up && goes_up);
}

/// The plan removes the route, or an address for which the kernel made it.
bool goes_with_the_plan(const Plan& plan, host::View& view, const host::RouteInfo& route) {
  const auto* const own = step_of(plan.steps, route, view);
  if (own != nullptr) return !own->after;
  const auto* link = view.link(route.link_index);
  return route.protocol == host::kMadeByKernel && link != nullptr &&
         std::ranges::any_of(plan.steps, [&](const Step& step) {
           return step.effect.link == link->name &&
                  std::ranges::any_of(step.effect.ips, [&](const IpAddress& ip) {
                    return route.destination.contains(ip);
                  });
         });
}

bool diverts(host::View& view, const host::RouteInfo& route, const Destination& peer) {
  if (route.table != host::kMainTable && route.table != host::kLocalTable) {
    return comes_before_main(view, peer.ip.family(), route.table);
  }
  return route.destination.prefix_len >= peer.subnet.prefix_len;
}

}  // namespace

std::vector<kinds::Refusal> find_diversions(const Plan& plan, const config::Node& node,
                                            host::View& view) {
  std::vector<kinds::Refusal> refusals;
  std::set<std::string> told;
  for (const auto& peer : destinations_of(node, view)) {
    const auto* rail = view.link(peer.link);
    if (rail == nullptr || !counts(node, *rail)) continue;
    const auto route = route_now(view, peer, *rail);
    if (!route || route->link_index == rail->index || !diverts(view, *route, peer) ||
        goes_with_the_plan(plan, view, *route)) {
      continue;
    }
    auto text = route_text(view, *route);
    // One route often diverts all peers of a rail; it is named once.
    if (told.insert(peer.link + text).second) {
      refusals.push_back(
          {kinds::Refusal::Why::kRefused, "SR-ROUTE-001",
           fmt::format(
               "packets to {} ({}) would not leave by '{}' but by the route {}: remove that "
               "route, or give the cable another subnet",
               peer.ip.text(), peer.name, peer.link, text),
           peer.where});
    }
  }
  return refusals;
}

}  // namespace spark::plan
