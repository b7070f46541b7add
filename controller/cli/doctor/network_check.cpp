#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/doctor/checks.hpp"
#include "cli/doctor/wanted_node.hpp"
#include "cli/init/rails_here.hpp"
#include "gate/checks/checks.hpp"
#include "host/view.hpp"
#include "kinds/common/remedy.hpp"
#include "kinds/network/port_of.hpp"
#include "plan/routes_over_links.hpp"

namespace spark::cli {
namespace {

using Rails = std::vector<RailHere>;

/// What the checks of this file look at. `node`: null where there is no valid file.
struct Network {
  Rails rails;
  const config::Node* node;
  host::View& view;
};

bool is_rail(const Rails& rails, int link_index) {
  return std::ranges::any_of(rails,
                             [&](const RailHere& rail) { return rail.link.index == link_index; });
}

void add_default_routes(const Network& here, const std::vector<host::RouteInfo>& routes,
                        Findings& findings) {
  for (const auto& rail : here.rails) {
    const bool has_default = std::ranges::any_of(routes, [&](const host::RouteInfo& route) {
      return route.destination.prefix_len == 0 && route.link_index == rail.link.index;
    });
    if (!has_default) continue;
    findings.push_back(
        {"route", Severity::kLook,
         fmt::format("{} has a default route: what is for the LAN or the internet may go to a node",
                     rail.link.name),
         fmt::format("if the LAN is at {0}, write `owner: host` for it in the file. Else take the "
                     "gateway away where it is set: `ip route show default dev {0}; ip -6 route "
                     "show default dev {0}`",
                     rail.link.name)});
  }
}

bool counts(const host::AddressInfo& address) {
  return !address.address.ip.is_link_local() && !address.address.ip.is_loopback();
}

bool is_asked_for(const config::Node* node, const std::string& link, const IpAddress& ip) {
  if (node == nullptr) return false;
  const auto wanted = node->links.find(link);
  return wanted != node->links.end() &&
         std::ranges::any_of(wanted->second.addresses, [&](const config::At<IpPrefix>& address) {
           return address.value.ip == ip;
         });
}

/// An address, and the link that has it.
struct Held {
  const host::LinkInfo& link;
  const IpPrefix& address;
};

/// The address to take away is one that the file does not ask for.
std::string remedy_for_shared_subnet(const Held& own, const Held& other, const Network& here) {
  std::string why;
  for (const auto& held : {own, other}) {
    if (is_asked_for(here.node, held.link.name, held.address.ip)) continue;
    const auto command = kinds::text_of(
        kinds::Remedy{kinds::Remedy::Kind::kRemoveAddress, {held.link.name}, held.address.text()},
        here.node, here.view);
    if (command) {
      return fmt::format("take {} away where it is set, and now: {}", held.address.text(),
                         *command);
    }
    why = fmt::format(" ({})", command.error().what);
  }
  return fmt::format("give the cable of {} other `subnets` in the file{}", own.link.name, why);
}

/// One address of a rail, and one of another link, that are in one subnet.
void add_shared_subnets(const Network& here, Findings& findings) {
  const auto& addresses = *here.view.addresses();
  std::vector<std::string> told;
  for (const auto& rail : here.rails) {
    for (const auto& own : rail.addresses) {
      if (!counts(own)) continue;
      for (const auto& other : addresses) {
        const auto* link = here.view.link(other.link_index);
        const bool is_later_rail =
            is_rail(here.rails, other.link_index) && other.link_index < rail.link.index;
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
             remedy_for_shared_subnet({rail.link, own.address}, {*link, other.address}, here)});
      }
    }
  }
}

/// Rails of one bridge or bond are one finding.
void add_masters(const Network& here, Findings& findings) {
  struct Ports {
    std::vector<std::string> links;
    std::vector<std::string> remedies;
    std::vector<diagnosis::Problem> problems;
  };
  std::map<std::string, Ports> masters;  // by what is said of a port of it
  for (const auto& rail : here.rails) {
    const auto port = kinds::port_of(here.view, rail.link, here.node);
    if (!port) continue;
    auto& [links, remedies, problems] = masters[port->what];
    links.push_back(rail.link.name);
    if (std::ranges::find(remedies, port->remedy) == remedies.end()) {
      remedies.push_back(port->remedy);
    }
    problems.push_back(problem_of(gate::kLinkFact, gate::Detail::kPort, rail.link.name));
  }
  for (auto& [what, ports] : masters) {
    findings.push_back(
        {"port", Severity::kPrevents,
         fmt::format("{} {} {}: addresses on {} carry no RDMA", fmt::join(ports.links, ", "),
                     ports.links.size() == 1 ? "is" : "are each", what,
                     ports.links.size() == 1 ? "it" : "them"),
         fmt::format("{}", fmt::join(ports.remedies, "; ")), std::move(ports.problems)});
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

void add_advertisements(const Network& here, Findings& findings) {
  std::vector<std::string> open;
  for (const auto& rail : here.rails) {
    const auto& name = rail.link.name;
    const bool is_managed = here.node != nullptr && here.node->links.contains(name);
    if (!rail.link.carrier || is_managed || !accepts_advertisements(here.view, name)) continue;
    // Not the way in: what it is told there, it may live by.
    if (kinds::untouchable(name, here.node, here.view)) continue;
    open.push_back(name);
  }
  if (open.empty()) return;
  const auto command = kinds::text_of(
      kinds::Remedy{kinds::Remedy::Kind::kIgnoreAdverts, {open.front()}}, here.node, here.view);
  findings.push_back(
      {"adverts", Severity::kLook,
       fmt::format("{} {} router advertisements: the other end can give addresses and a default "
                   "route, and the file does not name {}",
                   fmt::join(open, ", "), open.size() == 1 ? "accepts" : "accept",
                   open.size() == 1 ? "that rail" : "these rails"),
       fmt::format("name the cage in the file, or {} and the same in a file of /etc/sysctl.d, for "
                   "after the next boot",
                   *command)});
}

/// Nothing is wrong with it. Who changes the links has to know.
void add_what_is_built_on(const Network& here, Findings& findings) {
  std::set<std::string> links;
  for (const auto& rail : here.rails) links.insert(rail.link.name);
  const auto found = plan::built_on(links, here.view);
  if (found.empty()) return;
  findings.push_back({"route", Severity::kGood,
                      fmt::format("on these rails stands what others set, and no file of this "
                                  "program holds: {}",
                                  fmt::join(found, "; ")),
                      ""});
}

}  // namespace

Findings check_network(const Command& command) {
  host::View view(command.host);
  auto rails = rails_here(view);
  if (!rails) {
    return {{"network", Severity::kLook, rails.error().what, "`ip address` shows the links"}};
  }
  const auto node = wanted_node(command, view);
  Network here{.rails = *std::move(rails), .node = node ? &*node : nullptr, .view = view};
  std::erase_if(here.rails, [&](const RailHere& rail) {
    return node && is_left_to_host(*node, rail.link.name);
  });
  if (here.rails.empty()) return {};
  Findings findings;
  const auto& routes = view.routes();
  if (routes) {
    add_default_routes(here, *routes, findings);
  } else {
    findings.push_back(
        {"route", Severity::kLook, routes.error().what, "`ip route` shows the routes"});
  }
  add_shared_subnets(here, findings);
  add_masters(here, findings);
  add_advertisements(here, findings);
  if (findings.empty()) {
    findings.push_back({"network", Severity::kGood,
                        "no rail has a default route, a subnet of another link, or a bridge or "
                        "bond above it",
                        ""});
  }
  add_what_is_built_on(here, findings);
  return findings;
}

}  // namespace spark::cli
