#include "kinds/network/route.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <linux/rtnetlink.h>

namespace spark::kinds {
namespace {

Route::Key key_of(const std::string& link, const config::RouteSpec& route) {
  return {link, route.to.value, config::metric_of(route)};
}

Route::Value value_of(const host::RouteInfo& route) {
  return {.via = route.gateway, .source = route.source, .mtu = route.mtu};
}

host::RouteInfo route_of(const Route::Key& key, const Route::Value& value) {
  return {.destination = key.to,
          .table = host::kMainTable,
          .protocol = host::kMadeByUs,
          .gateway = value.via,
          .source = value.source,
          .metric = key.metric,
          .mtu = value.mtu};
}

/// Two of one place compete.
bool is_same_place(const Route::Key& key, const host::RouteInfo& route) {
  return route.table == host::kMainTable && key.to == route.destination &&
         key.metric == route.metric;
}

/// One of several next hops. Ours have one: the kernel joins IPv6 routes of one place, also of
/// several makers, and names that of the first alone (rt6_fill_node, net/ipv6/route.c).
bool is_joined(const Route::Key& key, const host::RouteInfo& route,
               const std::vector<host::RouteInfo>& routes) {
  return std::ranges::count_if(routes, [&](const host::RouteInfo& other) {
           return is_same_place(key, other) && other.protocol == route.protocol;
         }) > 1;
}

/// A link whose subnet has all of these addresses: the route would take them away from it. Null:
/// none. `lo` answers for its own, whatever routes say.
const host::LinkInfo* taken_from(host::View& view, const Route::Key& key) {
  const auto& addresses = view.addresses();
  if (!addresses) return nullptr;
  for (const auto& info : *addresses) {
    const auto subnet = info.address.network();
    const auto* const link = view.link(info.link_index);
    if (link != nullptr && link->name != key.link && !link->loopback &&
        subnet.prefix_len < subnet.ip.bits() && !subnet.ip.is_link_local() &&
        key.to.prefix_len >= subnet.prefix_len && subnet.contains(key.to.ip)) {
      return link;
    }
  }
  return nullptr;
}

/// Somebody is logged in from there, and packets to him leave by another link.
std::optional<IpAddress> cut_off(host::View& view, const Route::Key& key) {
  const auto sessions = view.ssh_sessions();
  if (!sessions) return std::nullopt;
  for (const auto& session : *sessions) {
    if (!key.to.contains(session.peer)) continue;
    const auto& now = view.route_to(session.peer, session.local);
    const auto* const link = now ? view.link(now->link_index) : nullptr;
    if (link == nullptr || link->name != key.link) return session.peer;
  }
  return std::nullopt;
}

std::optional<Refusal> takes_over(host::View& view, const Route::Key& key, config::Where where) {
  const auto refusal = [&](const std::string& whose) {
    return Refusal{Refusal::Why::kRefused, "SR-ROUTE-005",
                   fmt::format("the route to {} by '{}' would take over {}: name a smaller network",
                               key.to.text(), key.link, whose),
                   where};
  };
  if (const auto* const link = taken_from(view, key)) {
    return refusal(fmt::format("a subnet of '{}'", link->name));
  }
  if (const auto peer = cut_off(view, key)) {
    return refusal("the way to " + peer->text() + ", from where somebody is logged in");
  }
  return std::nullopt;
}

Skipped taken_by(host::View& view, const host::RouteInfo& other) {
  const auto* const link = view.link(other.link_index);
  return {
      Skipped::Why::kNotEnforced, "SR-ROUTE-003",
      fmt::format("{} leads elsewhere by a route that is not ours{}{} (protocol {}): remove "
                  "that one, or give this one another `metric`",
                  other.destination.text(), other.gateway ? " via " + other.gateway->text() : "",
                  link == nullptr ? "" : " dev " + link->name, other.protocol)};
}

Skipped link_is_down(const std::string& link) {
  return {Skipped::Why::kWaiting, "SR-ROUTE-004",
          fmt::format("'{}' is down, and a link that is down has no routes: `up: true` of the link "
                      "has it set up",
                      link)};
}

/// Why one that is wanted cannot be there, or does not lead there alone. Empty: it can, and does.
std::optional<Skipped> why_not(host::View& view, const Route::Key& key, const Route::Value& value,
                               const config::Node& node,
                               const std::vector<host::RouteInfo>& routes) {
  const auto* const link = view.link(key.link);
  if (link == nullptr) return waiting_for_link(key.link);
  const auto wanted = node.links.find(key.link);
  const bool comes_up = wanted != node.links.end() && wanted->second.up && wanted->second.up->value;
  if (!link->up && !comes_up) return link_is_down(key.link);
  const auto other = std::ranges::find_if(routes, [&](const host::RouteInfo& route) {
    const bool leads_there = route.link_index == link->index && value_of(route) == value;
    return is_same_place(key, route) && !leads_there &&
           (route.protocol != host::kMadeByUs || is_joined(key, route, routes));
  });
  return other == routes.end() ? std::nullopt : std::optional(taken_by(view, *other));
}

Result<> remove(const std::string& link, const host::RouteInfo& route, host::Host& host) {
  auto removed = host.netlink.remove_route(link, route);
  // It goes by itself with an address, or when the link goes down.
  return !removed && removed.error().code == ErrorCode::kNotFound ? Result<>{} : removed;
}

}  // namespace

Desired<Route> Route::desired(const config::Node& node) {
  Desired<Route> desired;
  for (const auto& [name, link] : node.links) {
    for (const auto& route : link.routes) {
      Value value{.mtu = route.mtu ? route.mtu->value : 0};
      if (route.via) value.via = route.via->value;
      if (route.source) value.source = route.source->value;
      desired.want(key_of(name, route), value, {route.where, link.owner_host});
    }
  }
  return desired;
}

Result<Observed<Route>> Route::observe(host::View& view, const Desired<Route>& wanted,
                                       const Context& context) {
  Observed<Route> observed;
  // A ledger without any entry may have been lost: ours are then known by their number.
  const bool has_made_none = !context.ledger.empty() && entries_of(context.ledger, kName).empty();
  if (wanted.state.empty() && has_made_none) return observed;
  const auto& links = view.links();
  if (!links) return std::unexpected(links.error());
  const auto& routes = view.routes();
  if (!routes) return std::unexpected(routes.error());
  for (const auto& route : *routes) {
    const auto* const link = view.link(route.link_index);
    if (link == nullptr || route.table != host::kMainTable || route.type != RTN_UNICAST) continue;
    const Key key{link->name, route.destination, route.metric};
    const auto asked = wanted.state.find(key);
    const bool is_ours = route.protocol == host::kMadeByUs;
    // Somebody else's is enough where it leads there.
    const bool leads_there = asked != wanted.state.end() && value_of(route) == asked->second;
    if ((!is_ours && !leads_there) || is_joined(key, route, *routes)) continue;
    const auto [known, is_new] = observed.state.emplace(key, value_of(route));
    if (is_ours && !is_new) known->second = value_of(route);
  }
  for (const auto& [key, value] : wanted.state) {
    if (auto why = why_not(view, key, value, context.node, *routes)) {
      observed.skipped.emplace(key, *std::move(why));
      continue;
    }
    if (!observed.state.contains(key)) {
      const auto asked = wanted.origins.find(key);
      const auto where = asked == wanted.origins.end() ? config::Where{} : asked->second.where;
      if (auto refusal = takes_over(view, key, where)) {
        observed.refusals.push_back(*std::move(refusal));
      }
    }
    observed.remember.emplace(label(key), LedgerEntry{.ours = label(value), .original = {}});
  }
  return observed;
}

std::vector<Change<Route>> Route::diff(const State<Route>& desired, const State<Route>& actual) {
  auto changes = difference<Route>(desired, actual);
  std::ranges::stable_partition(changes, [](const Change<Route>& change) { return !change.after; });
  return changes;
}

Outcome Route::apply(const Change<Route>& change, host::Host& host) {
  const auto& [key, before, after] = change;
  if (before) {
    auto removed = remove(key.link, route_of(key, *before), host);
    if (!removed || !after) return outcome_of(removed);
  }
  auto added = host.netlink.add_route(key.link, route_of(key, *after));
  if (added || added.error().code != ErrorCode::kInvalid) return outcome_of(added);
  return Waits{fmt::format("the kernel does not take it yet: {}", added.error().what)};
}

Effect Route::effect(const Change<Route>& change) {
  Effect effect{.link = change.key.link};
  if (change.before) effect.disturbs = Effect::Disturbs::kTraffic;
  effect.frees_others = !change.after;
  return effect;
}

std::string Route::label(const Key& key) {
  const bool has_metric = key.metric != config::default_metric(key.to.ip.family());
  return fmt::format("{} {}{}", key.link, key.to.text(),
                     has_metric ? fmt::format(" metric {}", key.metric) : "");
}

std::string Route::label(const Value& value) {
  return fmt::format("{}{}{}", value.via ? "via " + value.via->text() : "on the link",
                     value.source ? " source " + value.source->text() : "",
                     value.mtu != 0 ? fmt::format(" mtu {}", value.mtu) : "");
}

}  // namespace spark::kinds
