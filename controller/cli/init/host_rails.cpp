#include "cli/init/host_rails.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <linux/rtnetlink.h>

#include "config/yaml/read_forms.hpp"
#include "plan/routes_over_links.hpp"

namespace spark::cli {
namespace {

/// Why a file cannot hold the address; empty: it can.
std::string why_not_written(const host::AddressInfo& address) {
  const auto& ip = address.address.ip;
  if (ip.is_link_local()) {
    return "it is link-local, and every link has the same link-local network, so no route tells "
           "the rails apart: give the rail an address in a subnet of its own";
  }
  if (address.valid_seconds != host::kForeverSeconds) {
    return "it is from DHCP or a router, and may change: give the rail a lasting one";
  }
  if (address.peer) return "it is of a point-to-point link, which the language does not have";
  return {};
}

/// Another link that has the address; empty: none. The plan of a file that names one of the two
/// would take the address from the other.
std::string other_link_with(host::View& view, const host::AddressInfo& address) {
  const auto& all = view.addresses();
  for (const auto& other : all ? *all : std::vector<host::AddressInfo>{}) {
    const bool is_same = other.address.ip == address.address.ip;
    const auto* link = view.link(other.link_index);
    if (is_same && other.link_index != address.link_index && link != nullptr) return link->name;
  }
  return {};
}

/// Routes by the rail to networks behind another node, which a file can hold: of one next hop, into
/// no subnet of this machine. `all` are of the file, with their addresses.
std::vector<host::RouteInfo> routes_by(const HostRail& rail, const std::vector<HostRail>& all,
                                       host::View& view) {
  std::vector<host::RouteInfo> found;
  const auto& routes = view.routes();
  const auto& addresses = view.addresses();
  if (!routes || !addresses) return found;
  const auto is_own = [&](const IpAddress& ip) {
    return std::ranges::any_of(all, [&](const HostRail& own) {
      return own.entry != RailEntry::kComment &&
             std::ranges::any_of(own.addresses, [&](const KnownAddress& known) {
               return known.info.address.ip == ip;
             });
    });
  };
  const auto is_on_link = [&](const IpAddress& ip) {
    return std::ranges::any_of(rail.addresses, [&](const KnownAddress& known) {
      return known.info.address.network().contains(ip);
    });
  };
  const auto is_here = [&](const IpAddress& ip) {
    return std::ranges::any_of(*addresses, [&](const host::AddressInfo& info) {
      return info.address.network().contains(ip);
    });
  };
  for (const auto& route : *routes) {
    const auto hops = std::ranges::count_if(*routes, [&](const host::RouteInfo& other) {
      return other.destination == route.destination && other.metric == route.metric &&
             other.table == route.table;
    });
    const bool is_behind = route.gateway && is_on_link(*route.gateway) && !is_own(*route.gateway) &&
                           !is_here(route.destination.ip) &&
                           route.gateway->family() == route.destination.ip.family();
    if (route.link_index == rail.here.link.index && route.table == host::kMainTable &&
        route.type == RTN_UNICAST && !plan::is_made_by_kernel(route) &&
        route.destination.prefix_len != 0 && hops == 1 && is_behind &&
        (!route.source || is_own(*route.source))) {
      found.push_back(route);
    }
  }
  return found;
}

void write_route(const host::RouteInfo& route, YamlText& yaml) {
  // Within braces a colon may end a key.
  const auto value = [](const auto& ip) { return fmt::format("\"{}\"", ip.text()); };
  const bool has_metric = route.metric != config::default_metric(route.destination.ip.family());
  yaml.line(
      fmt::format("- {{ to: {}, via: {}{}{}{} }}", value(route.destination), value(*route.gateway),
                  has_metric ? fmt::format(", metric: {}", route.metric) : "",
                  route.mtu != 0 ? fmt::format(", mtu: {}", route.mtu) : "",
                  route.source ? ", source: " + value(*route.source) : ""),
      route.protocol == host::kMadeByUs ? "from this program" : "from the kernel");
}

std::string_view word_of(std::uint8_t mode) {
  constexpr std::array<std::string_view, 4> kModes{"eui64", "none", "stable_privacy", "random"};
  return mode < kModes.size() ? kModes.at(mode) : kModes.front();
}

/// "rail 0 of cage 1 (QSFP port), no carrier".
std::string place_of(const RailHere& rail) {
  if (rail.link.loopback) return "addresses of this machine, on no link";
  return fmt::format("rail {} of cage {}{}{}", rail.rail.rail, rail.rail.cage,
                     rail.link.up ? "" : ", down", rail.link.carrier ? "" : ", no carrier");
}

/// The entry says something of the link.
bool says_something(const HostRail& rail) {
  const auto& link = rail.here.link;
  return !rail.addresses.empty() || !rail.down_origin.empty() ||
         (link.mtu != kEthernetMtu && !link.loopback);
}

void write_comment_entry(const HostRail& rail, YamlText& yaml) {
  std::string values = fmt::format("mtu {}", rail.here.link.mtu);
  for (const auto& [info, origin] : rail.addresses) {
    values += fmt::format(", {} ({})", info.address.text(), origin);
  }
  yaml.comment(fmt::format("{} is not in this file; it has {}.", rail.here.link.name, values));
}

void write_entry(const HostRail& rail, YamlText& yaml) {
  const auto& link = rail.here.link;
  const bool is_set = rail.entry == RailEntry::kSet;
  yaml.line(yaml_word(link.name) + ":", place_of(rail.here));
  yaml.indent();
  if (!is_set) yaml.line("owner: host", "compared only: this program sets nothing on it");
  if (!rail.down_origin.empty()) {
    yaml.line("up: false", rail.down_origin);
  } else if (!rail.addresses.empty() && link.up && !link.loopback) {
    yaml.line("up: true");
  }
  if (!link.loopback && (!rail.addresses.empty() || link.mtu != kEthernetMtu)) {
    yaml.line(fmt::format("mtu: {}", link.mtu), rail.mtu_origin);
  }
  if (!rail.addresses.empty()) {
    yaml.line("addresses:");
    yaml.indent();
    for (const auto& [info, origin] : rail.addresses) yaml.line("- " + info.address.text(), origin);
    yaml.outdent();
  }
  if (is_set && !rail.routes.empty()) {
    yaml.line("routes:");
    yaml.indent();
    for (const auto& route : rail.routes) write_route(route, yaml);
    yaml.outdent();
  }
  if (is_set && !rail.addresses.empty() && link.ipv6_addr_gen_mode && !link.loopback) {
    const auto mode = word_of(*link.ipv6_addr_gen_mode);
    yaml.line(fmt::format("link_local: {}", mode),
              mode == "none" ? "from the kernel" : "from the kernel; none would add no RoCE GID");
  }
  yaml.outdent();
}

}  // namespace

HostRails::HostRails(host::View& view, std::vector<RailHere> rails, const Origins& origins) {
  if (auto identity = identity_here(view)) rails.insert(rails.begin(), *std::move(identity));
  for (auto& here : rails) {
    HostRail rail{.here = std::move(here), .mtu_origin = {}, .down_origin = {}};
    const auto& link = rail.here.link;
    if (is_way_to_lan(view, link.name)) {
      rail.entry = RailEntry::kCompared;
      rail.notes.emplace_back("the way to the LAN: the default route leaves by it.");
    }
    rail.mtu_origin = origins.of_mtu(rail.here);
    for (const auto& address : rail.here.addresses) {
      const bool is_made_by_kernel =
          !address.address.ip.is_v4() && address.address.ip.is_link_local();
      if (is_made_by_kernel) continue;
      auto origin = origins.of_address(rail.here, address);
      if (const auto why = why_not_written(address); !why.empty()) {
        rail.notes.push_back(
            fmt::format("{} ({}) is left out: {}.", address.address.text(), origin, why));
      } else {
        rail.addresses.push_back({address, std::move(origin)});
      }
    }
    if (!link.up && rail.addresses.empty()) rail.down_origin = origins.of_down(rail.here);
    // The program writes the names of links into the files of other managers.
    if (!config::kInterfaceName.matches(link.name)) {
      rail.entry = RailEntry::kComment;
      rail.notes.push_back(fmt::format("The file cannot hold this name, which is not {}.",
                                       config::kInterfaceName.form));
    }
    for (const auto& [info, origin] : rail.addresses) {
      if (const auto other = other_link_with(view, info); !other.empty()) {
        rail.entry = RailEntry::kComment;
        rail.notes.push_back(fmt::format(
            "{} is on {} too, and a file gives an address to one link: remove one of the two.",
            info.address.ip.text(), other));
      }
    }
    rails_.push_back(std::move(rail));
  }
  // A route may have an address of any of them as its source.
  for (auto& rail : rails_) rail.routes = routes_by(rail, rails_, view);
}

bool HostRails::has_entries() const {
  return std::ranges::any_of(rails_, [](const HostRail& rail) {
    return says_something(rail) && rail.entry != RailEntry::kComment;
  });
}

void HostRails::write(YamlText& yaml) {
  if (has_entries()) yaml.line("links:");
  yaml.indent();
  for (auto& rail : rails_) {
    for (const auto& note : rail.notes) {
      yaml.comment(fmt::format("{}: {}", rail.here.link.name, note));
    }
    rail.first_line = yaml.next_line();
    if (!says_something(rail)) {
      yaml.comment(fmt::format("{}: {}; no lasting address; left unchanged", rail.here.link.name,
                               place_of(rail.here)));
    } else if (rail.entry == RailEntry::kComment) {
      write_comment_entry(rail, yaml);
    } else {
      write_entry(rail, yaml);
    }
    rail.last_line = yaml.next_line() - 1;
  }
  yaml.outdent();
}

bool HostRails::step_down(const config::Diagnostic& error) {
  bool any = false;
  for (auto& rail : rails_) {
    const auto is_of_rail = [&](config::Where where) {
      return where.line >= rail.first_line && where.line <= rail.last_line;
    };
    const bool is_about = is_of_rail(error.where) ||
                          std::ranges::any_of(error.related, [&](const config::Related& related) {
                            return is_of_rail(related.where);
                          });
    if (!is_about || rail.entry == RailEntry::kComment) continue;
    rail.entry = rail.entry == RailEntry::kSet ? RailEntry::kCompared : RailEntry::kComment;
    auto note = fmt::format("refused [{}]: {}; {}.", error.id, error.message, error.reason);
    std::ranges::replace(note, '\n', ' ');
    if (std::ranges::find(rail.notes, note) == rail.notes.end()) {
      rail.notes.push_back(std::move(note));
    }
    any = true;
  }
  return any;
}

void HostRails::note(const config::Diagnostic& warning) {
  for (auto& rail : rails_) {
    if (warning.where.line >= rail.first_line && warning.where.line <= rail.last_line) {
      auto note = fmt::format("warning [{}]: {}; {}.", warning.id, warning.message, warning.reason);
      std::ranges::replace(note, '\n', ' ');
      rail.notes.push_back(std::move(note));
      return;
    }
  }
}

std::optional<std::uint64_t> HostRails::number() const {
  constexpr std::uint8_t kUsualLength = 24;
  std::optional<std::uint64_t> number;
  for (const auto& rail : rails_) {
    if (rail.entry != RailEntry::kSet || rail.here.link.loopback) continue;
    for (const auto& [info, origin] : rail.addresses) {
      if (!info.address.ip.is_v4() || info.address.prefix_len != kUsualLength) return std::nullopt;
      const std::uint64_t last = info.address.ip.bytes()[3];
      if (number && *number != last) return std::nullopt;
      number = last;
    }
  }
  return number;
}

}  // namespace spark::cli
