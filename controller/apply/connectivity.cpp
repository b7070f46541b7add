#include "apply/connectivity.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

namespace spark::apply {
namespace {

/// A link that goes down and up for its new MTU has its carrier back by then.
constexpr std::chrono::seconds kCarrierBlinks{5};

/// Those of links with carrier.
std::set<HeldAddress> addresses_in_use(host::View& view) {
  std::set<HeldAddress> in_use;
  const auto& addresses = view.addresses();
  if (!addresses) return in_use;
  for (const auto& info : *addresses) {
    const auto* link = view.link(info.link_index);
    if (link != nullptr && link->carrier) in_use.emplace(link->name, info.address.ip);
  }
  return in_use;
}

KnownRoute known(const host::RouteInfo& route) {
  return {route.destination, route.table, route.link_index, route.gateway};
}

/// A link-local destination has a route on each link with an address of its kind, and each link
/// that goes down loses it.
std::set<KnownRoute> routes_to_others(host::View& view) {
  std::set<KnownRoute> found;
  const auto& routes = view.routes();
  if (!routes) return found;
  for (const auto& route : *routes) {
    const auto& ip = route.destination.ip;
    if (!ip.is_link_local() && !ip.is_multicast()) found.insert(known(route));
  }
  return found;
}

std::set<HeldAddress> gone_addresses(const Connectivity& connectivity, host::View& after) {
  auto gone = connectivity.addresses;
  if (gone.empty()) return gone;
  for (const auto& held : addresses_in_use(after)) gone.erase(held);
  return gone;
}

/// None where they cannot be read.
std::set<KnownRoute> gone_routes(const Connectivity& connectivity, host::View& after) {
  auto gone = connectivity.routes;
  if (gone.empty()) return gone;
  const auto& routes = after.routes();
  if (!routes) return {};
  for (const auto& route : *routes) gone.erase(known(route));
  return gone;
}

/// It could be answered before, and has no route to its other end any more.
bool is_unanswerable(const host::SshSession& session, const Connectivity& connectivity,
                     const std::set<KnownRoute>& gone, host::View& after) {
  // One that outlived the address of this end was beyond help before.
  const bool was_whole = std::ranges::any_of(connectivity.addresses, [&](const HeldAddress& held) {
    return held.second == session.local;
  });
  // One of them led there, or would have where another was not.
  const bool led_there = std::ranges::any_of(gone, [&](const KnownRoute& route) {
    return std::get<IpPrefix>(route).contains(session.peer);
  });
  return was_whole && led_there && !session.peer.is_link_local() &&
         !after.route_to(session.peer, session.local);
}

}  // namespace

Connectivity record_connectivity(const plan::Plan& plan, host::View& before, bool cuts_off) {
  Connectivity connectivity;
  std::set<std::string> touched;
  std::set<std::string> down;
  for (const auto& step : plan.steps) {
    touched.insert(step.effect.link);
    if (step.effect.link_goes_down || step.effect.hands_back) down.insert(step.effect.link);
  }
  for (const auto& name : touched) {
    const auto* link = before.link(name);
    if (link != nullptr && link->carrier && !down.contains(name)) {
      connectivity.carriers.push_back(name);
    }
  }
  if (cuts_off || touched.empty()) return connectivity;
  connectivity.routes = routes_to_others(before);
  connectivity.addresses = addresses_in_use(before);
  // What the plan itself removes, or moves to another link, the guard has judged.
  for (const auto& step : plan.steps) {
    for (const auto& ip : step.effect.ips) connectivity.addresses.erase({step.effect.link, ip});
    if (step.effect.link_goes_down) {
      std::erase_if(connectivity.addresses,
                    [&](const HeldAddress& held) { return held.first == step.effect.link; });
    }
  }
  return connectivity;
}

std::vector<std::string> lost_connectivity(const Connectivity& connectivity, host::View& after) {
  std::vector<std::string> lost;
  for (const auto& name : connectivity.carriers) {
    const auto* link = after.link(name);
    // Without the link's device no rollback could restore the carrier.
    if (link != nullptr && !link->carrier) {
      lost.push_back(fmt::format("'{}' lost its carrier", name));
    }
  }
  const auto addresses = gone_addresses(connectivity, after);
  const auto routes = gone_routes(connectivity, after);
  if (addresses.empty() && routes.empty()) return lost;
  auto sessions = after.ssh_sessions().value_or(std::vector<host::SshSession>{});
  for (const auto& [link, ip] : addresses) {
    // A connection outlives the address of its end. The routes went with it, and are not the cause.
    const auto cut = std::erase_if(
        sessions, [&](const host::SshSession& session) { return session.local == ip; });
    if (cut != 0) {
      lost.push_back(
          fmt::format("{} is no longer to be had on '{}': an ssh session is connected through it",
                      ip.text(), link));
    }
  }
  for (const auto& session : sessions) {
    if (is_unanswerable(session, connectivity, routes, after)) {
      // Without the client's address: the daemon publishes this text.
      lost.push_back(
          fmt::format("no route leads back to the ssh client of {}", session.local.text()));
    }
  }
  return lost;
}

std::vector<std::string> await_connectivity(host::Host& host, const Connectivity& connectivity) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + kCarrierBlinks;
  while (true) {
    host::View after(host);
    auto lost = lost_connectivity(connectivity, after);
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (lost.empty() || left.count() <= 0) return lost;
    static_cast<void>(host.netlink.wait_for_event(left));
  }
}

}  // namespace spark::apply
