#include "reconcile/diversion.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include <fmt/format.h>

namespace spark {
namespace {

constexpr std::uint32_t kMainTable = 254;   // RT_TABLE_MAIN, linux/rtnetlink.h
constexpr std::uint32_t kLocalTable = 255;  // RT_TABLE_LOCAL
constexpr std::uint8_t kMadeByKernel = 2;   // RTPROT_KERNEL

/// A rule that leads to `table` is asked before the main table's rule.
bool comes_before_main(View& view, IpFamily family, std::uint32_t table) {
  const auto& rules = view.rules();
  if (!rules) return false;
  std::optional<std::uint32_t> main;
  std::optional<std::uint32_t> other;
  for (const auto& rule : *rules) {
    if (rule.family == family && (rule.table == kMainTable || rule.table == table)) {
      auto& first = rule.table == kMainTable ? main : other;
      first = std::min(first.value_or(rule.priority), rule.priority);
    }
  }
  return other && (!main || *other < *main);
}

/// The route that refuses packets to `ip`; the kernel's own answer is only an error.
std::optional<RouteInfo> refusing_route(View& view, const IpAddress& ip) {
  const auto& routes = view.routes();
  if (!routes) return std::nullopt;
  std::optional<RouteInfo> longest;
  for (const auto& route : *routes) {
    const bool matches = route.destination.contains(ip) && route.link_index == 0;
    if (matches && (!longest || route.destination.prefix_len > longest->destination.prefix_len)) {
      longest = route;
    }
  }
  return longest;
}

std::optional<RouteInfo> route_now(View& view, const IpAddress& ip) {
  const auto& route = view.route_to(ip);
  if (route) return *route;
  return route.error().code == ErrorCode::kNotFound ? std::nullopt : refusing_route(view, ip);
}

std::string text_of(View& view, const RouteInfo& route) {
  const auto* link = view.link(route.link_index);
  return fmt::format("{}{}{}{}", route.destination.text(),
                     route.gateway ? " via " + route.gateway->text() : "",
                     link == nullptr ? " (refuses packets)" : " dev " + link->name,
                     route.table == kMainTable ? "" : fmt::format(" table {}", route.table));
}

/// The kernel made the route for an address that the plan removes, and takes it away along with it.
bool goes_with_the_plan(const Plan& plan, View& view, const RouteInfo& route) {
  const auto* link = view.link(route.link_index);
  return route.protocol == kMadeByKernel && link != nullptr &&
         std::ranges::any_of(plan.steps, [&](const Step& step) {
           return step.effect.ip && step.effect.link == link->name &&
                  route.destination.contains(*step.effect.ip);
         });
}

bool diverts(View& view, const RouteInfo& route, const Peer& peer) {
  if (route.table != kMainTable && route.table != kLocalTable) {
    return comes_before_main(view, peer.ip.family(), route.table);
  }
  return route.destination.prefix_len >= peer.subnet.prefix_len;
}

}  // namespace

std::vector<Objection> find_diversions(const Plan& plan, const Node& node, View& view) {
  std::vector<Objection> objections;
  std::set<std::string> told;
  for (const auto& peer : node.peers) {
    const auto* rail = view.link(peer.link);
    if (rail == nullptr || !rail->carrier) {
      continue;
    }
    const auto route = route_now(view, peer.ip);
    if (!route || route->link_index == rail->index || !diverts(view, *route, peer) ||
        goes_with_the_plan(plan, view, *route)) {
      continue;
    }
    auto text = text_of(view, *route);
    // One route often diverts all peers of a rail; it is named once.
    if (told.insert(peer.link + text).second) {
      objections.push_back(
          {Objection::Why::kRefused, "SR-ROUTE-001",
           fmt::format(
               "packets to {} ({}) would not leave by '{}' but by the route {}: remove that "
               "route, or give the cable another subnet",
               peer.ip.text(), peer.node, peer.link, text),
           peer.where});
    }
  }
  return objections;
}

}  // namespace spark
