#include "reconcile/guard.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include <fmt/format.h>

namespace spark {
namespace {

constexpr std::uint8_t kUnicastRoute = 1;  // RTN_UNICAST, linux/rtnetlink.h

/// The ways in which this machine is reached, as far as one link carries them.
struct Lifeline {
  std::string link;
  std::string why;                   ///< "the default route leaves by it"
  std::optional<IpAddress> address;  ///< only this one matters
  std::optional<IpAddress> gateway;  ///< only addresses whose subnet holds it matter
  std::optional<IpFamily> family;    ///< only that one matters
};

/// `link` and everything it stands on: a VLAN is gone when its device is down.
std::set<std::string> with_lower_devices(View& view, const std::string& link) {
  std::set<std::string> names{link};
  const auto& links = view.links();
  if (!links) return names;
  for (bool grew = true; grew;) {
    grew = false;
    for (const auto& upper : *links) {
      for (const auto& lower : *links) {
        if (names.contains(upper.name) && stands_on(upper, lower)) {
          grew |= names.insert(lower.name).second;
        }
      }
    }
  }
  return names;
}

Result<std::vector<Lifeline>> find_lifelines(const Node& node, View& view) {
  std::vector<Lifeline> lifelines;
  if (node.management) {
    lifelines.push_back(
        {node.management->value, "the file names it as the management link", {}, {}, {}});
  }
  const auto& routes = view.routes();
  if (!routes) return std::unexpected(routes.error());
  for (const auto& route : *routes) {
    const auto* link = view.link(route.link_index);
    if (route.destination.prefix_len == 0 && route.type == kUnicastRoute && link != nullptr) {
      // A route that names its source address lives on that one.
      lifelines.push_back({link->name, "the default route leaves by it", route.source,
                           route.source ? std::nullopt : route.gateway,
                           route.destination.ip.family()});
    }
  }
  const auto& sessions = view.ssh_addresses();
  if (!sessions) return std::unexpected(sessions.error());
  const auto& addresses = view.addresses();
  if (!addresses) return std::unexpected(addresses.error());
  for (const auto& session : *sessions) {
    const auto held =
        std::ranges::find(*addresses, session, [](const AddressInfo& a) { return a.address.ip; });
    if (const auto* link = held == addresses->end() ? nullptr : view.link(held->link_index)) {
      lifelines.push_back(
          {link->name, "an ssh session is connected through it", session, {}, session.family()});
    }
  }
  return lifelines;
}

/// The prefix length with which `ip` stands on `link`, as a prefix.
std::optional<IpPrefix> prefix_of(View& view, const std::string& link, const IpAddress& ip) {
  const auto& addresses = view.addresses();
  if (!addresses) return std::nullopt;
  for (const auto& address : *addresses) {
    const auto* holder = view.link(address.link_index);
    if (holder != nullptr && holder->name == link && address.address.ip == ip) {
      return address.address;
    }
  }
  return std::nullopt;
}

/// The loss of `ip` on the lifeline's link ends the lifeline.
bool lives_on(View& view, const Lifeline& lifeline, const IpAddress& ip) {
  if (lifeline.address) {
    return *lifeline.address == ip;
  }
  if (lifeline.gateway) {
    const auto prefix = prefix_of(view, lifeline.link, ip);
    return prefix && prefix->contains(*lifeline.gateway);
  }
  return true;
}

bool strips(View& view, const Effect& effect, const Lifeline& lifeline) {
  const bool here = effect.link == lifeline.link;
  if (effect.ends_ipv6 && (here || effect.link.empty()) && lifeline.family != IpFamily::kV4) {
    return true;
  }
  return here && std::ranges::any_of(
                     effect.ips, [&](const IpAddress& ip) { return lives_on(view, lifeline, ip); });
}

bool takes_away(const Step& step) {
  const auto& effect = step.effect;
  return effect.link_goes_down || effect.changes_manager || effect.ends_ipv6 || !effect.ips.empty();
}

}  // namespace

std::vector<Objection> guard(const Plan& plan, const Node& node, View& view) {
  std::vector<Objection> objections;
  if (std::ranges::none_of(plan.steps, takes_away)) {
    return objections;
  }
  const auto lifelines = find_lifelines(node, view);
  if (!lifelines) {
    objections.push_back({Objection::Why::kRefused,
                          "SR-GUARD-002",
                          fmt::format("cannot tell what this machine is reached through: {}",
                                      lifelines.error().what),
                          {}});
    return objections;
  }
  for (const auto& step : plan.steps) {
    const auto cut = std::ranges::find_if(*lifelines, [&](const Lifeline& lifeline) {
      return step.effect.link_goes_down || step.effect.changes_manager
                 ? with_lower_devices(view, lifeline.link).contains(step.effect.link)
                 : strips(view, step.effect, lifeline);
    });
    if (cut != lifelines->end() && takes_away(step)) {
      objections.push_back(
          {Objection::Why::kRefused, "SR-GUARD-001",
           fmt::format(
               "changing {} would cut this machine off: {}. Do this by hand from the console, or "
               "change the file",
               step.name(), cut->why),
           step.where});
    }
  }
  return objections;
}

}  // namespace spark
