#include "cli/init/rails_here.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "config/cages.hpp"
#include "kinds/common/lifelines.hpp"
#include "state/select.hpp"

namespace spark::cli {

Result<std::vector<RailHere>> rails_here(host::View& view) {
  const auto& links = view.links();
  if (!links) return std::unexpected(links.error());
  const auto& addresses = view.addresses();
  if (!addresses) return std::unexpected(addresses.error());
  std::vector<RailHere> rails;
  for (const auto& [rail, name] : config::find_cages(state::netdevs(view, *links), {})) {
    const auto* link = view.link(name);
    if (link == nullptr) continue;
    RailHere here{.rail = rail, .link = *link, .addresses = {}};
    std::ranges::copy_if(*addresses, std::back_inserter(here.addresses),
                         [&](const auto& address) { return address.link_index == link->index; });
    rails.push_back(std::move(here));
  }
  return rails;
}

std::optional<RailHere> identity_here(host::View& view) {
  const auto* const link = view.link("lo");
  const auto& addresses = view.addresses();
  if (link == nullptr || !addresses) return std::nullopt;
  RailHere here{.rail = {}, .link = *link, .addresses = {}};
  std::ranges::copy_if(*addresses, std::back_inserter(here.addresses), [&](const auto& address) {
    return address.link_index == link->index && !address.address.ip.is_loopback();
  });
  return here.addresses.empty() ? std::nullopt : std::optional(std::move(here));
}

bool is_way_to_lan(host::View& view, const std::string& link) {
  const auto lan = link_to_lan(view);
  return !lan.empty() && kinds::with_lower_devices(view, lan).contains(link);
}

std::set<int> cages_of_lan(host::View& view, const std::vector<RailHere>& rails) {
  std::set<int> cages;
  for (const auto& here : rails) {
    if (is_way_to_lan(view, here.link.name)) cages.insert(here.rail.cage);
  }
  return cages;
}

std::vector<int> cages_with_carrier(host::View& view, const std::vector<RailHere>& rails) {
  const auto lan = cages_of_lan(view, rails);
  std::set<int> cages;
  for (const auto& here : rails) {
    if (here.link.carrier && !lan.contains(here.rail.cage)) cages.insert(here.rail.cage);
  }
  return {cages.begin(), cages.end()};
}

std::map<int, SubnetsInUse> subnets_in_use(host::View& view, const std::vector<RailHere>& rails) {
  constexpr std::uint8_t kUsualLength = 24;
  const auto number_of = [](const IpAddress& ip) { return int{ip.bytes()[3]}; };
  std::map<int, std::vector<IpPrefix>> found;
  std::map<int, std::set<std::string>> links;
  for (const auto& here : rails) {
    for (const auto& info : here.addresses) {
      const bool lasts = info.valid_seconds == host::kForeverSeconds && !info.peer;
      if (lasts && info.address.ip.is_v4() && !info.address.ip.is_link_local()) {
        found[here.rail.cage].push_back(info.address);
        links[here.rail.cage].insert(here.link.name);
      }
    }
  }
  std::map<int, SubnetsInUse> cages;
  for (const auto& [cage, own] : found) {
    const bool is_usual = own.size() == 2 && links[cage].size() == 2 &&
                          own[0].network() != own[1].network() &&
                          own[0].prefix_len == kUsualLength && own[1].prefix_len == kUsualLength &&
                          number_of(own[0].ip) == number_of(own[1].ip);
    if (!is_usual) continue;
    SubnetsInUse use{.subnets = {own[0].network(), own[1].network()},
                     .number = number_of(own[0].ip),
                     .other = std::nullopt};
    std::set<int> heard;
    for (const auto& neighbour : neighbours_here(view)) {
      const bool is_there = own[0].contains(neighbour.ip) || own[1].contains(neighbour.ip);
      if (is_there) heard.insert(number_of(neighbour.ip));
    }
    if (heard.size() == 1) use.other = *heard.begin();
    cages.emplace(cage, use);
  }
  return cages;
}

std::string note_of_other_addresses(host::View& view, const config::Fabric& fabric) {
  std::set<IpPrefix> subnets;
  for (const auto& segment : fabric.segments) {
    for (const auto& subnet : segment.subnets) subnets.insert(subnet.value);
  }
  const auto rails = rails_here(view).value_or(std::vector<RailHere>{});
  const auto lan = cages_of_lan(view, rails);
  std::vector<std::string> found;
  for (const auto& here : rails) {
    if (lan.contains(here.rail.cage)) continue;
    for (const auto& info : here.addresses) {
      const bool lasts = info.valid_seconds == host::kForeverSeconds;
      const bool is_kept = subnets.contains(info.address.network());
      if (!lasts || is_kept || info.address.ip.is_link_local()) continue;
      found.push_back(fmt::format("{} {}", here.link.name, info.address.text()));
    }
  }
  if (found.empty()) return {};
  return fmt::format(
      "! rails have addresses already: {}. This file gives them others; `spark-reconcile init "
      "--from-host` writes what runs here\n",
      fmt::join(found, ", "));
}

std::string link_to_lan(host::View& view) {
  const auto routes = kinds::default_routes_in_use(view).value_or(std::vector<host::RouteInfo>{});
  for (const auto family : {IpFamily::kV4, IpFamily::kV6}) {
    const auto found = std::ranges::find_if(routes, [&](const host::RouteInfo& route) {
      // Rules lead to other tables for some packets alone.
      return route.table == host::kMainTable && route.destination.ip.family() == family;
    });
    if (found != routes.end()) return view.link(found->link_index)->name;
  }
  return {};
}

std::vector<Neighbour> neighbours_here(host::View& view) {
  // Of this thread's network namespace (proc_pid_net(5)): "IP TYPE FLAGS MAC MASK DEVICE".
  const auto& table = view.file("/proc/thread-self/net/arp");
  std::vector<Neighbour> neighbours;
  if (!table || !*table) return neighbours;
  constexpr unsigned kComplete = 0x2;  // ATF_COM of linux/if_arp.h
  for (const auto line : lines_of(**table)) {
    std::istringstream words{std::string(line)};
    std::string ip;
    std::string type;
    std::string mac;
    std::string mask;
    unsigned flags = 0;
    Neighbour neighbour;
    words >> ip >> type >> std::hex >> flags >> mac >> mask >> neighbour.link;
    const auto address = IpAddress::parse(ip);
    if (words && address && (flags & kComplete) != 0) {
      neighbour.ip = *address;
      neighbours.push_back(std::move(neighbour));
    }
  }
  return neighbours;
}

}  // namespace spark::cli
