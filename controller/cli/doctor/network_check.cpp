#include "cli/doctor/network_check.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "cli/doctor/wanted_node.hpp"
#include "cli/init/rails_here.hpp"
#include "host/view.hpp"

namespace spark::cli {
namespace {

using Rails = std::vector<RailHere>;

bool is_rail(const Rails& rails, int link_index) {
  return std::ranges::any_of(rails,
                             [&](const RailHere& rail) { return rail.link.index == link_index; });
}

void add_default_routes(const Rails& rails, const std::vector<host::RouteInfo>& routes,
                        Findings& findings) {
  for (const auto& rail : rails) {
    const bool has_default = std::ranges::any_of(routes, [&](const host::RouteInfo& route) {
      return route.destination.prefix_len == 0 && route.link_index == rail.link.index;
    });
    if (!has_default) continue;
    findings.push_back(
        {"route", Severity::kLook,
         fmt::format("{} has a default route: what is for the LAN or the internet may go to a node",
                     rail.link.name),
         fmt::format("`ip route show default dev {0}; ip -6 route show default dev {0}` says who "
                     "set it: take the gateway away there. Until then: `sudo ip route del default "
                     "dev {0}`",
                     rail.link.name)});
  }
}

bool counts(const host::AddressInfo& address) {
  return !address.address.ip.is_link_local() && !address.address.ip.is_loopback();
}

/// One address of a rail, and one of another link, that are in one subnet.
void add_shared_subnets(const Rails& rails, host::View& view, Findings& findings) {
  const auto& addresses = *view.addresses();
  std::vector<std::string> told;
  for (const auto& rail : rails) {
    for (const auto& own : rail.addresses) {
      if (!counts(own)) continue;
      for (const auto& other : addresses) {
        const auto* link = view.link(other.link_index);
        const bool is_later_rail =
            is_rail(rails, other.link_index) && other.link_index < rail.link.index;
        if (link == nullptr || link->index == rail.link.index || is_later_rail || !counts(other) ||
            !own.address.overlaps(other.address)) {
          continue;
        }
        auto pair = fmt::format("{} {}", rail.link.name, link->name);
        if (std::ranges::find(told, pair) != told.end()) continue;
        told.push_back(std::move(pair));
        findings.push_back(
            {"subnet", Severity::kLook,
             fmt::format("{} on {} and {} on {} are in one subnet: what is for the one may leave "
                         "by the other",
                         own.address.text(), rail.link.name, other.address.text(), link->name),
             fmt::format(
                 "where the file asks for one of them, take the other away where it is set, "
                 "and now: `sudo ip address del {} dev {}`. Where it asks for both, give "
                 "the cable other `subnets`",
                 other.address.text(), link->name)});
      }
    }
  }
}

void add_masters(const Rails& rails, host::View& view, Findings& findings) {
  constexpr std::array<std::string_view, 3> kJoining{"bridge", "bond", "team"};
  for (const auto& rail : rails) {
    const auto* master = rail.link.master == 0 ? nullptr : view.link(rail.link.master);
    if (master == nullptr || std::ranges::find(kJoining, master->kind) == kJoining.end()) continue;
    findings.push_back(
        {"port", Severity::kPrevents,
         fmt::format("{} is a port of the {} '{}': addresses on it carry no RDMA", rail.link.name,
                     master->kind, printable(master->name)),
         fmt::format("`sudo ip link set {} nomaster`, and take it out of what made '{}'",
                     rail.link.name, printable(master->name))});
  }
}

/// The value of one setting of IPv6 of a link; empty: it has no IPv6, or that cannot be read.
std::string ipv6_setting(host::View& view, const std::string& link, const char* name) {
  const auto& value = view.sysctl(fmt::format("net/ipv6/conf/{}/{}", link, name));
  return value ? value->text : std::string();
}

/// ip-sysctl: a router accepts them with 2 alone.
bool accepts_advertisements(host::View& view, const std::string& link) {
  if (ipv6_setting(view, link, "disable_ipv6") != "0") return false;
  const auto accept = ipv6_setting(view, link, "accept_ra");
  return accept == "2" || (accept == "1" && ipv6_setting(view, link, "forwarding") == "0");
}

void add_advertisements(const Command& command, const Rails& rails, host::View& view,
                        Findings& findings) {
  const auto node = wanted_node(command, view);
  std::vector<std::string> open;
  for (const auto& rail : rails) {
    const auto& name = rail.link.name;
    const bool is_managed = node && node->links.contains(name);
    if (rail.link.carrier && !is_managed && accepts_advertisements(view, name)) {
      open.push_back(name);
    }
  }
  if (open.empty()) return;
  findings.push_back(
      {"adverts", Severity::kLook,
       fmt::format("{} {} router advertisements: the other end can give addresses and a default "
                   "route, and the file does not name {}",
                   fmt::join(open, ", "), open.size() == 1 ? "accepts" : "accept",
                   open.size() == 1 ? "that rail" : "these rails"),
       fmt::format("name the cage in the file, or `sudo sysctl -w net/ipv6/conf/{}/accept_ra=0` "
                   "and the same in a file of /etc/sysctl.d, for after the next boot",
                   open.front())});
}

}  // namespace

Findings check_network(const Command& command) {
  host::View view(command.host);
  const auto rails = rails_here(view);
  if (!rails) {
    return {{"network", Severity::kLook, rails.error().what, "`ip address` shows the links"}};
  }
  if (rails->empty()) return {};
  Findings findings;
  const auto& routes = view.routes();
  if (routes) {
    add_default_routes(*rails, *routes, findings);
  } else {
    findings.push_back(
        {"route", Severity::kLook, routes.error().what, "`ip route` shows the routes"});
  }
  add_shared_subnets(*rails, view, findings);
  add_masters(*rails, view, findings);
  add_advertisements(command, *rails, view, findings);
  if (findings.empty()) {
    findings.push_back({"network", Severity::kGood,
                        "no rail has a default route, a subnet of another link, or a bridge or "
                        "bond above it",
                        ""});
  }
  return findings;
}

}  // namespace spark::cli
