#include "kinds/common/lifelines.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <ranges>
#include <utility>

#include <fmt/format.h>

namespace spark::kinds {

std::set<std::string> with_lower_devices(host::View& view, const std::string& link) {
  std::set<std::string> names{link};
  const auto& links = view.links();
  if (!links) return names;
  for (bool grew = true; grew;) {
    grew = false;
    for (const auto& upper : *links) {
      for (const auto& lower : *links) {
        if (names.contains(upper.name) && host::stands_on(upper, lower)) {
          grew |= names.insert(lower.name).second;
        }
      }
    }
  }
  return names;
}

namespace {

constexpr std::uint8_t kUnicastRoute = 1;  // RTN_UNICAST, linux/rtnetlink.h

Result<> add_sessions(host::View& view, std::vector<Lifeline>& lifelines) {
  const auto& sessions = view.ssh_addresses();
  if (!sessions) return std::unexpected(sessions.error());
  const auto& addresses = view.addresses();
  if (!addresses) return std::unexpected(addresses.error());
  for (const auto& local : *sessions) {
    const auto held = std::ranges::find(
        *addresses, local, [](const host::AddressInfo& info) { return info.address.ip; });
    if (const auto* link = held == addresses->end() ? nullptr : view.link(held->link_index)) {
      lifelines.push_back({.link = link->name,
                           .why = "an ssh session is connected through it",
                           .address = local,
                           .family = local.family(),
                           .target = {}});
    }
  }
  return {};
}

/// What is mounted of the target, or stands on it; empty: nothing.
std::string use_of(host::View& view, const host::NvmeWorld& world, const std::string& nqn) {
  const auto& mounts = view.mounts();
  for (const auto& space : world.namespaces) {
    if (space.nqn != nqn) continue;
    if (!space.holders.empty()) return space.holders.front();
    const auto mount = mounts ? std::ranges::find(*mounts, space.device, &host::MountInfo::device)
                              : std::vector<host::MountInfo>::const_iterator{};
    if (mounts && mount != mounts->end()) return mount->path;
  }
  return {};
}

/// The links through which the volumes in use are reached. A writer whose target is out of reach
/// waits forever, and so does the shutdown.
Result<> add_storage(host::View& view, std::vector<Lifeline>& lifelines) {
  const auto& world = view.nvme();
  if (!world) {
    // Facts of an earlier version do not tell.
    return world.error().code == ErrorCode::kUnsupported ? Result<>{}
                                                         : std::unexpected(world.error());
  }
  for (const auto& controller : world->controllers) {
    const auto use = use_of(view, *world, controller.nqn);
    const auto target = IpAddress::parse(controller.address);
    if (use.empty() || !target) continue;
    const auto& route = view.route_to(*target);
    const auto* link = route ? view.link(route->link_index) : nullptr;
    if (!controller.via.empty()) link = view.link(controller.via);
    if (link != nullptr) {
      lifelines.push_back(
          {.link = link->name,
           .why = fmt::format("'{}' is in use, and its target {} is reached over it", use,
                              controller.address),
           .address = IpAddress::parse(controller.source),
           .family = target->family(),
           .target = fmt::format("{} {} {}", controller.nqn, controller.address, controller.port)});
    }
  }
  return {};
}

}  // namespace

Result<std::vector<host::RouteInfo>> default_routes_in_use(host::View& view) {
  const auto& routes = view.routes();
  if (!routes) return std::unexpected(routes.error());
  const auto is_default = [&](const host::RouteInfo& route) {
    return route.destination.prefix_len == 0 && route.type == kUnicastRoute &&
           view.link(route.link_index) != nullptr;
  };
  const auto table_of = [](const host::RouteInfo& route) {
    return std::pair(route.destination.ip.family(), route.table);
  };
  std::map<std::pair<IpFamily, std::uint32_t>, std::uint32_t> lowest;
  for (const auto& route : *routes | std::views::filter(is_default)) {
    const auto metric = lowest.try_emplace(table_of(route), route.metric).first;
    metric->second = std::min(metric->second, route.metric);
  }
  std::vector<host::RouteInfo> in_use;
  std::ranges::copy_if(*routes, std::back_inserter(in_use), [&](const host::RouteInfo& route) {
    return is_default(route) && route.metric == lowest[table_of(route)];
  });
  return in_use;
}

Result<std::vector<Lifeline>> ways_in(const config::Node* node, host::View& view) {
  std::vector<Lifeline> lifelines;
  if (node != nullptr && node->management) {
    lifelines.push_back({.link = node->management->value,
                         .why = "the file names it as the management link",
                         .family = {},
                         .target = {}});
  }
  const auto routes = default_routes_in_use(view);
  if (!routes) return std::unexpected(routes.error());
  for (const auto& route : *routes) {
    // A route that names its source address lives on that one.
    lifelines.push_back({.link = view.link(route.link_index)->name,
                         .why = "the default route leaves by it",
                         .address = route.source,
                         .gateway = route.source ? std::nullopt : route.gateway,
                         .family = route.destination.ip.family(),
                         .target = {}});
  }
  return lifelines;
}

Result<std::vector<Lifeline>> find_lifelines(const config::Node* node, host::View& view) {
  auto lifelines = ways_in(node, view);
  if (!lifelines) return lifelines;
  if (auto added = add_sessions(view, *lifelines); !added) return std::unexpected(added.error());
  if (auto added = add_storage(view, *lifelines); !added) return std::unexpected(added.error());
  return lifelines;
}

const Lifeline* carried_by(const std::string& link, const std::vector<Lifeline>& lifelines,
                           host::View& view) {
  const auto found = std::ranges::find_if(lifelines, [&](const Lifeline& lifeline) {
    return with_lower_devices(view, lifeline.link).contains(link);
  });
  return found == lifelines.end() ? nullptr : &*found;
}

}  // namespace spark::kinds
