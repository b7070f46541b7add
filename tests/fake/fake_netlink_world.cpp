// What happens to a FakeNetlink without us, and the routes that follow from it.

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <linux/if_addr.h>
#include <linux/rtnetlink.h>

#include "fake/fake_netlink.hpp"

namespace spark::test {
namespace {

constexpr std::uint32_t kMetricOfConnectedIpv6 = 256;  // IP6_RT_PRIO_ADDRCONF, net/ip6_route.h

/// The rules of a namespace in which nobody added one (fib_default_rules_init,
/// fib6_rules_net_init).
std::vector<host::RuleInfo> default_rules() {
  return {{IpFamily::kV4, 0, RT_TABLE_LOCAL},
          {IpFamily::kV4, 32766, RT_TABLE_MAIN},
          {IpFamily::kV4, 32767, RT_TABLE_DEFAULT},
          {IpFamily::kV6, 0, RT_TABLE_LOCAL},
          {IpFamily::kV6, 32766, RT_TABLE_MAIN}};
}

/// The route of `table` that decides for `destination`: longest prefix, then lowest metric.
const host::RouteInfo* match(const std::vector<host::RouteInfo>& routes, std::uint32_t table,
                             const IpAddress& destination) {
  const host::RouteInfo* best = nullptr;
  for (const auto& route : routes) {
    if (route.table != table || !route.destination.contains(destination)) {
      continue;
    }
    const auto rank = [](const host::RouteInfo& r) {
      return std::pair(-int{r.destination.prefix_len}, r.metric);
    };
    if (best == nullptr || rank(route) < rank(*best)) {
      best = &route;
    }
  }
  return best;
}

}  // namespace

int FakeNetlink::plug(host::LinkInfo link) {
  link.index = ++last_index_;
  link.carrier = false;
  sysctl_.add_link(link.name);
  links_.push_back(std::move(link));
  update_carrier(links_.back());
  tell();
  return last_index_;
}

void FakeNetlink::unplug(const std::string& link) {
  const auto gone = existing(link);
  const auto on_it = [&](const auto& entry) { return entry.link_index == gone.index; };
  std::erase_if(addresses_, on_it);
  std::erase_if(static_routes_, on_it);
  std::erase_if(links_, [&](const host::LinkInfo& other) { return other.index == gone.index; });
  sysctl_.remove_link(gone.name);
  tell();
}

void FakeNetlink::rename(const std::string& link, const std::string& name) {
  auto& renamed = existing(link);
  sysctl_.remove_link(renamed.name);
  sysctl_.add_link(name);
  renamed.name = name;
  tell();
}

void FakeNetlink::set_cable(const std::string& link, bool plugged) {
  auto& end = existing(link);
  if (plugged) {
    without_cable_.erase(end.index);
  } else {
    without_cable_.insert(end.index);
  }
  update_carrier(end);
  tell();
}

void FakeNetlink::set_master(const std::string& link, const std::string& master) {
  existing(link).master = existing(master).index;
  tell();
}

void FakeNetlink::add_foreign(const std::string& link, const host::AddressInfo& address) {
  insert(existing(link), address, "add a foreign address").value();
  tell();
}

void FakeNetlink::remove_foreign(const std::string& link, const IpPrefix& address) {
  erase(existing(link), address, "remove a foreign address").value();
  tell();
}

host::LinkInfo* FakeNetlink::find(const std::string& name) {
  const auto found = std::ranges::find_if(links_, [&](const host::LinkInfo& link) {
    return link.name == name || std::ranges::find(link.altnames, name) != link.altnames.end();
  });
  return found == links_.end() ? nullptr : &*found;
}

host::LinkInfo& FakeNetlink::existing(const std::string& name) {
  auto* const found = find(name);
  if (found == nullptr) {
    throw std::invalid_argument("the fake world has no link '" + name + "'");
  }
  return *found;
}

const host::LinkInfo& FakeNetlink::link_at(int index) const {
  return *std::ranges::find(links_, index, &host::LinkInfo::index);
}

void FakeNetlink::add_route(const host::RouteInfo& route) { static_routes_.push_back(route); }

void FakeNetlink::remove_route(const host::RouteInfo& route) { std::erase(static_routes_, route); }

void FakeNetlink::add_neighbour(const std::string& link, const IpAddress& ip,
                                const host::MacAddress& mac) {
  neighbours_.push_back({.link_index = existing(link).index, .ip = ip, .mac = mac});
}

Result<std::vector<host::NeighbourInfo>> FakeNetlink::neighbours() {
  if (auto readable = writes_.readable("neighbours"); !readable) {
    return std::unexpected(readable.error());
  }
  return neighbours_;
}

void FakeNetlink::add_rule(const host::RuleInfo& rule) { added_rules_.push_back(rule); }

Result<std::vector<host::RouteInfo>> FakeNetlink::routes() {
  if (auto readable = writes_.readable("routes"); !readable) {
    return std::unexpected(readable.error());
  }
  auto routes = connected_routes();
  routes.insert(routes.end(), static_routes_.begin(), static_routes_.end());
  return routes;
}

Result<std::vector<host::RuleInfo>> FakeNetlink::rules() {
  if (auto readable = writes_.readable("rules"); !readable) {
    return std::unexpected(readable.error());
  }
  auto rules = default_rules();
  rules.insert(rules.end(), added_rules_.begin(), added_rules_.end());
  std::ranges::stable_sort(rules, {},
                           [](const host::RuleInfo& r) { return std::pair(r.family, r.priority); });
  return rules;
}

/// No rule of this world looks at the source.
Result<host::RouteInfo> FakeNetlink::route_to(const IpAddress& destination,
                                              const std::optional<IpAddress>& /*source*/) {
  const auto what = "find the route to '" + destination.text() + "'";
  const auto rules = this->rules();
  auto routes = this->routes();
  if (!rules || !routes) {
    return std::unexpected(rules ? routes.error() : rules.error());
  }
  for (const auto& address : addresses_) {
    routes->push_back({.destination = {address.address.ip, address.address.ip.bits()},
                       .table = RT_TABLE_LOCAL,
                       .type = RTN_LOCAL,
                       .protocol = RTPROT_KERNEL,
                       .link_index = address.link_index});
  }
  for (const auto& rule : *rules) {
    const auto* const route =
        rule.family == destination.family() ? match(*routes, rule.table, destination) : nullptr;
    if (route != nullptr && route->type != RTN_UNICAST && route->type != RTN_LOCAL) {
      return fail(ErrorCode::kSystem, what + ": No route to host");
    }
    if (route != nullptr) {
      return *route;
    }
  }
  return fail(ErrorCode::kNotFound, what + ": Network is unreachable");
}

std::vector<host::RouteInfo> FakeNetlink::connected_routes() const {
  std::vector<host::RouteInfo> routes;
  for (const auto& address : addresses_) {
    const bool v4 = address.address.ip.is_v4();
    const auto& link = link_at(address.link_index);
    if (!link.up || link.loopback ||
        (address.flags & (IFA_F_NOPREFIXROUTE | IFA_F_SECONDARY)) != 0 ||
        (v4 && address.address.prefix_len == address.address.ip.bits())) {
      continue;
    }
    routes.push_back({.destination = address.address.network(),
                      .table = RT_TABLE_MAIN,
                      .protocol = RTPROT_KERNEL,
                      .link_index = address.link_index,
                      .source = v4 ? std::optional(address.address.ip) : std::nullopt,
                      .metric = address.route_metric != 0 || v4 ? address.route_metric
                                                                : kMetricOfConnectedIpv6});
  }
  return routes;
}

}  // namespace spark::test
