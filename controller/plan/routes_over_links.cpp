#include "plan/routes_over_links.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <linux/rtnetlink.h>

#include "kinds/network/route.hpp"

namespace spark::plan {
namespace {

/// By one of the links, and not the kernel's own.
std::vector<host::RouteInfo> routes_by(const std::set<std::string>& links, host::View& view) {
  std::vector<host::RouteInfo> found;
  const auto& routes = view.routes();
  if (!routes) return found;
  std::ranges::copy_if(*routes, std::back_inserter(found), [&](const host::RouteInfo& route) {
    const auto* link = view.link(route.link_index);
    return link != nullptr && links.contains(link->name) && route.table != host::kLocalTable &&
           !is_made_by_kernel(route);
  });
  return found;
}

std::string rule_text(const host::RuleInfo& rule) {
  const auto part = [](const char* word, const std::string& value) {
    return value.empty() ? std::string() : fmt::format(" {} {}", word, value);
  };
  return fmt::format("rule {}:{}{}{}{} lookup {}", rule.priority,
                     part("from", rule.from ? rule.from->text() : ""),
                     part("to", rule.to ? rule.to->text() : ""), part("iif", rule.in_link),
                     part("oif", rule.out_link), rule.table);
}

/// It names one of the links, or an address or subnet of one.
bool is_of_links(const host::RuleInfo& rule, const std::set<std::string>& links, host::View& view) {
  if (links.contains(rule.in_link) || links.contains(rule.out_link)) return true;
  const auto& addresses = view.addresses();
  return addresses && std::ranges::any_of(*addresses, [&](const host::AddressInfo& info) {
           const auto* link = view.link(info.link_index);
           const auto is_there = [&](const std::optional<IpPrefix>& prefix) {
             return prefix && prefix->prefix_len > 0 && prefix->overlaps(info.address.network());
           };
           return link != nullptr && links.contains(link->name) &&
                  !info.address.ip.is_link_local() && (is_there(rule.from) || is_there(rule.to));
         });
}

std::set<std::string> managed_links(const config::Node& node) {
  std::set<std::string> links;
  for (const auto& [name, link] : node.links) {
    if (!link.owner_host) links.insert(name);
  }
  return links;
}

/// The subnets that a link has once the plan is carried out.
std::vector<IpPrefix> subnets_after(const std::vector<Step>& steps, const config::Node& node,
                                    host::View& view, const host::LinkInfo& link) {
  std::vector<IpPrefix> subnets;
  if (const auto wanted = node.links.find(link.name); wanted != node.links.end()) {
    std::ranges::transform(wanted->second.addresses, std::back_inserter(subnets),
                           &config::At<IpPrefix>::value);
  }
  for (const auto& address : view.addresses_on(link)) {
    const bool goes = std::ranges::any_of(steps, [&](const Step& step) {
      return step.effect.link == link.name &&
             std::ranges::find(step.effect.ips, address.ip) != step.effect.ips.end();
    });
    if (!goes) subnets.push_back(address);
  }
  return subnets;
}

/// Without these addresses, where the link has those subnets afterwards. A link that goes down
/// takes all its routes along.
bool is_cut(const host::RouteInfo& route, const kinds::Effect& effect,
            const std::vector<IpPrefix>& before, const std::vector<IpPrefix>& after) {
  if (effect.link_goes_down) return true;
  const auto goes = [&](const IpAddress& ip) {
    return std::ranges::find(effect.ips, ip) != effect.ips.end();
  };
  if (route.source && goes(*route.source)) return true;
  const auto family = route.destination.ip.family();
  // Without its last IPv4 address, if only for a moment, the kernel takes all IPv4 routes of a
  // link.
  const bool is_last = std::ranges::none_of(
      before, [&](const IpPrefix& address) { return address.ip.is_v4() && !goes(address.ip); });
  const bool has_any =
      std::ranges::any_of(effect.ips, [](const IpAddress& ip) { return ip.is_v4(); });
  if (family == IpFamily::kV4 && has_any && is_last) return true;
  const bool is_concerned = std::ranges::any_of(effect.ips, [&](const IpAddress& ip) {
    return ip.family() == family && !ip.is_link_local();
  });
  if (!is_concerned || (route.gateway && route.gateway->is_link_local())) return false;
  return std::ranges::none_of(after, [&](const IpPrefix& subnet) {
    return route.gateway ? subnet.contains(*route.gateway) : subnet.ip.family() == family;
  });
}

}  // namespace

bool is_made_by_kernel(const host::RouteInfo& route) {
  return route.protocol == RTPROT_REDIRECT || route.protocol == RTPROT_KERNEL ||
         route.protocol == RTPROT_RA;
}

const Step* step_of(const std::vector<Step>& steps, const host::RouteInfo& route,
                    host::View& view) {
  const auto* const link = view.link(route.link_index);
  if (route.protocol != host::kMadeByUs || link == nullptr) return nullptr;
  const auto key = kinds::Route::label({link->name, route.destination, route.metric});
  const auto found = std::ranges::find_if(
      steps, [&](const Step& step) { return step.kind == kinds::Route::kName && step.key == key; });
  return found == steps.end() ? nullptr : &*found;
}

std::string route_text(host::View& view, const host::RouteInfo& route) {
  const auto* link = view.link(route.link_index);
  return fmt::format("{}{}{}{}",
                     route.destination.prefix_len == 0 ? "default" : route.destination.text(),
                     route.gateway ? " via " + route.gateway->text() : "",
                     link == nullptr ? " (refuses packets)" : " dev " + link->name,
                     route.table == host::kMainTable ? "" : fmt::format(" table {}", route.table));
}

std::vector<std::string> built_on(const std::set<std::string>& links, host::View& view) {
  std::vector<std::string> found;
  auto all = links;
  if (const auto& every = view.links()) {
    for (const auto& name : links) {
      const auto* lower = view.link(name);
      for (const auto& upper : *every) {
        const bool stands = lower != nullptr && host::stands_on(upper, *lower);
        if (!stands || !all.insert(upper.name).second) continue;
        // A bridge or bond takes the rail: that is a fault of its own, and told as one.
        if (upper.lower == lower->index) {
          found.push_back(fmt::format("link {} ({})", upper.name, upper.kind));
        }
      }
    }
  }
  for (const auto& route : routes_by(all, view)) {
    if (route.protocol != host::kMadeByUs) found.push_back("route " + route_text(view, route));
  }
  if (const auto& rules = view.rules()) {
    for (const auto& rule : *rules) {
      if (is_of_links(rule, all, view)) found.push_back(rule_text(rule));
    }
  }
  return found;
}

std::vector<kinds::LeftUnchanged> left_on_links(const config::Node& node, host::View& view) {
  std::vector<kinds::LeftUnchanged> left;
  for (auto& what : built_on(managed_links(node), view)) {
    left.push_back({std::move(what),
                    "is on a link of this file, and nothing here sets it: what sets it at boot "
                    "has to stay"});
  }
  return left;
}

void note_routes_cut(std::vector<Step>& steps, const config::Node& node, host::View& view) {
  for (auto& step : steps) {
    auto& effect = step.effect;
    const auto* link = view.link(effect.link);
    if (link == nullptr || (effect.ips.empty() && !effect.link_goes_down)) continue;
    const auto before = view.addresses_on(*link);
    const auto after = subnets_after(steps, node, view, *link);
    for (const auto& route : routes_by({link->name}, view)) {
      if (!is_cut(route, effect, before, after) || step_of(steps, route, view) != nullptr) continue;
      const bool is_ours = route.protocol == host::kMadeByUs;
      effect.routes.push_back(route_text(view, route) +
                              (is_ours ? " (of this file: the next apply adds it)" : ""));
    }
  }
}

}  // namespace spark::plan
