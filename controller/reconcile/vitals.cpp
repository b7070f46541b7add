#include "reconcile/vitals.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace spark {
namespace {

/// Those of links with carrier.
std::set<HeldAddress> addresses_in_use(View& view) {
  std::set<HeldAddress> in_use;
  const auto& addresses = view.addresses();
  if (!addresses) return in_use;
  for (const auto& info : *addresses) {
    const auto* link = view.link(info.link_index);
    if (link != nullptr && link->carrier) {
      in_use.emplace(link->name, info.address.ip);
    }
  }
  return in_use;
}

/// A connection outlives the address of its end.
bool is_of_ssh_session(View& view, const IpAddress& ip) {
  const auto& locals = view.ssh_addresses();
  return locals && std::ranges::find(*locals, ip) != locals->end();
}

KnownRoute known(const RouteInfo& route) {
  return {route.destination, route.table, route.link_index, route.gateway};
}

/// A link-local destination has a route on each link with an address of its kind, and each link
/// that goes down loses it.
std::set<KnownRoute> routes_to_others(View& view) {
  std::set<KnownRoute> found;
  const auto& routes = view.routes();
  if (!routes) return found;
  for (const auto& route : *routes) {
    const auto& ip = route.destination.ip;
    if (!ip.is_link_local() && !ip.is_multicast()) {
      found.insert(known(route));
    }
  }
  return found;
}

/// Of ssh sessions that could be answered before, and have no route to their other end any more.
std::vector<std::string> unanswerable(std::set<KnownRoute> gone,
                                      const std::set<HeldAddress>& addresses, View& after) {
  std::vector<std::string> lost;
  if (gone.empty()) return lost;
  const auto& routes = after.routes();
  if (!routes) return lost;
  for (const auto& route : *routes) {
    gone.erase(known(route));
  }
  const auto sessions = gone.empty() ? Result<std::vector<SshSession>>{} : after.ssh_sessions();
  if (!sessions) return lost;
  for (const auto& session : *sessions) {
    // One that outlived the address of this end was beyond help before.
    const bool was_whole = std::ranges::any_of(
        addresses, [&](const HeldAddress& held) { return held.second == session.local; });
    // One of them led there, or would have where another was not.
    const bool led_there = std::ranges::any_of(gone, [&](const KnownRoute& route) {
      return std::get<IpPrefix>(route).contains(session.peer);
    });
    if (was_whole && led_there && !session.peer.is_link_local() &&
        !after.route_to(session.peer, session.local)) {
      // Not from where it comes: this is told to whoever the daemon tells.
      lost.push_back(fmt::format("no route leads back to whoever is connected to {} over ssh",
                                 session.local.text()));
    }
  }
  return lost;
}

}  // namespace

Vitals take_vitals(const Plan& plan, View& before, bool cuts_off) {
  Vitals vitals;
  std::set<std::string> touched;
  std::set<std::string> down;
  for (const auto& step : plan.steps) {
    touched.insert(step.effect.link);
    if (step.effect.link_goes_down || step.effect.gives_back) {
      down.insert(step.effect.link);
    }
  }
  for (const auto& name : touched) {
    const auto* link = before.link(name);
    if (link != nullptr && link->carrier && !down.contains(name)) {
      vitals.carriers.push_back(name);
    }
  }
  if (cuts_off || touched.empty()) {
    return vitals;
  }
  vitals.routes = routes_to_others(before);
  vitals.addresses = addresses_in_use(before);
  // What the plan itself removes, or moves to another link, the guard has judged.
  for (const auto& step : plan.steps) {
    for (const auto& ip : step.effect.ips) {
      vitals.addresses.erase({step.effect.link, ip});
    }
    if (step.effect.link_goes_down) {
      std::erase_if(vitals.addresses,
                    [&](const HeldAddress& held) { return held.first == step.effect.link; });
    }
  }
  return vitals;
}

std::vector<std::string> lost_vitals(const Vitals& vitals, View& after) {
  std::vector<std::string> lost;
  for (const auto& name : vitals.carriers) {
    const auto* link = after.link(name);
    // Without its device there is nothing that an undo could bring back.
    if (link != nullptr && !link->carrier) {
      lost.push_back(fmt::format("'{}' had a carrier before, and has none any more", name));
    }
  }
  const auto in_use = vitals.addresses.empty() ? std::set<HeldAddress>{} : addresses_in_use(after);
  for (const auto& held : vitals.addresses) {
    if (!in_use.contains(held) && is_of_ssh_session(after, held.second)) {
      lost.push_back(
          fmt::format("{} is no longer to be had on '{}': an ssh session is connected through it",
                      held.second.text(), held.first));
    }
  }
  const auto cut_off = unanswerable(vitals.routes, vitals.addresses, after);
  lost.insert(lost.end(), cut_off.begin(), cut_off.end());
  return lost;
}

}  // namespace spark
