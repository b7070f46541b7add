#include "kinds/network/route.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <linux/rtnetlink.h>

namespace spark::kinds {
namespace {

/// IP6_RT_PRIO_USER: what the kernel makes of an IPv6 route without a metric.
constexpr std::uint32_t kMetricOfIpv6 = 1024;

Route::Key key_of(const std::string& link, const config::RouteSpec& route) {
  const std::uint32_t none = route.to.value.ip.is_v4() ? 0 : kMetricOfIpv6;
  return {link, route.to.value, route.metric ? route.metric->value : none};
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

/// Two of one table never have both.
bool is_same_place(const Route::Key& key, const host::RouteInfo& route) {
  return key.to == route.destination && key.metric == route.metric;
}

/// An address of the link is there with another length than the file asks for. It is removed and
/// added again, and the kernel may take routes by it along (fib_sync_down_addr, fib_disable_ip).
bool address_changes(host::View& view, const host::LinkInfo& link, const config::Node& node,
                     IpFamily family) {
  const auto wanted = node.links.find(link.name);
  if (wanted == node.links.end()) return false;
  const auto there = view.addresses_on(link);
  return std::ranges::any_of(wanted->second.addresses, [&](const config::At<IpPrefix>& asked) {
    const auto is_it = [&](const IpPrefix& address) { return address.ip == asked.value.ip; };
    return asked.value.ip.family() == family && std::ranges::any_of(there, is_it) &&
           std::ranges::find(there, asked.value) == there.end();
  });
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

/// Why one that is wanted and not there cannot be there. Empty: it can.
std::optional<Skipped> why_not(host::View& view, const Route::Key& key, const config::Node& node,
                               const std::vector<host::RouteInfo>& routes) {
  const auto* const link = view.link(key.link);
  if (link == nullptr) return waiting_for_link(key.link);
  const auto wanted = node.links.find(key.link);
  const bool comes_up = wanted != node.links.end() && wanted->second.up && wanted->second.up->value;
  if (!link->up && !comes_up) return link_is_down(key.link);
  const auto other = std::ranges::find_if(routes, [&](const host::RouteInfo& route) {
    return route.table == host::kMainTable && route.protocol != host::kMadeByUs &&
           is_same_place(key, route);
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
  if (wanted.state.empty() && entries_of(context.ledger, kName).empty()) return observed;
  const auto& links = view.links();
  if (!links) return std::unexpected(links.error());
  const auto& routes = view.routes();
  if (!routes) return std::unexpected(routes.error());
  for (const auto& route : *routes) {
    const auto* const link = view.link(route.link_index);
    if (link == nullptr || route.table != host::kMainTable || route.type != RTN_UNICAST) continue;
    const Key key{link->name, route.destination, route.metric};
    auto value = value_of(route);
    const auto asked = wanted.state.find(key);
    if (route.protocol == host::kMadeByUs) {
      value.goes_along = address_changes(view, *link, context.node, key.to.ip.family());
      observed.state.insert_or_assign(key, value);
    } else if (asked != wanted.state.end() && value == asked->second) {
      observed.state.emplace(key, value);  // somebody else's, and it leads there
    }
  }
  for (const auto& [key, value] : wanted.state) {
    if (!observed.state.contains(key)) {
      if (auto why = why_not(view, key, context.node, *routes)) {
        observed.skipped.emplace(key, *std::move(why));
        continue;
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

Result<> Route::apply(const Change<Route>& change, host::Host& host) {
  const auto& [key, before, after] = change;
  if (before) {
    if (auto removed = remove(key.link, route_of(key, *before), host); !removed) return removed;
  }
  return after ? host.netlink.add_route(key.link, route_of(key, *after)) : Result<>{};
}

Effect Route::effect(const Change<Route>& change) {
  Effect effect{.link = change.key.link};
  // One that goes along is gone by then, and is there again at once.
  if (change.before && !change.before->goes_along) effect.disturbs = Effect::Disturbs::kTraffic;
  return effect;
}

std::string Route::label(const Key& key) {
  const bool has_metric = key.metric != (key.to.ip.is_v4() ? 0 : kMetricOfIpv6);
  return fmt::format("{} {}{}", key.link, key.to.text(),
                     has_metric ? fmt::format(" metric {}", key.metric) : "");
}

std::string Route::label(const Value& value) {
  return fmt::format("{}{}{}{}", value.via ? "via " + value.via->text() : "on the link",
                     value.source ? " source " + value.source->text() : "",
                     value.mtu != 0 ? fmt::format(" mtu {}", value.mtu) : "",
                     value.goes_along ? ", goes with an address of the link" : "");
}

}  // namespace spark::kinds
