#include "state/snapshot_diff.hpp"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <string_view>

#include <fmt/format.h>
#include <linux/if_addr.h>

namespace spark::state {
namespace {

/// Flags that the kernel moves by itself while nobody changes the address.
constexpr std::uint32_t kPassingFlags = IFA_F_TENTATIVE | IFA_F_DEPRECATED | IFA_F_SECONDARY;

std::string name_of_link(host::View& view, int index) {
  const auto* link = view.link(index);
  return link == nullptr ? std::string("none") : link->name;
}

std::string line_of(const std::string& link, const host::AddressInfo& address) {
  return fmt::format("address {} {} flags {:#x}, scope {}, protocol {}, label '{}', metric {}",
                     link, address.address.text(), address.flags & ~kPassingFlags, address.scope,
                     address.protocol, address.label, address.route_metric);
}

std::string line_of(const std::string& link, const host::RouteInfo& route) {
  return fmt::format("route {}{} dev {} table {} metric {}{}", route.destination.text(),
                     route.gateway ? " via " + route.gateway->text() : "", link, route.table,
                     route.metric, route.source ? " src " + route.source->text() : "");
}

/// Of a table that can be read; to the links that are in `tables`.
template <class Row>
void add_lines(Tables& tables, host::View& view, const Result<std::vector<Row>>& rows) {
  if (!rows) return;
  for (const auto& row : *rows) {
    const auto name = name_of_link(view, row.link_index);
    if (const auto link = tables.find(name); link != tables.end()) {
      link->second.lines.push_back(line_of(name, row));
    }
  }
}

void add_difference(const Tables& more, const Tables& less, std::string_view end,
                    std::vector<std::string>& differences) {
  static const LinkTables kNothing;
  for (const auto& [name, link] : more) {
    const auto other = less.find(name);
    std::vector<std::string> lines;
    std::ranges::set_difference(link.lines, (other == less.end() ? kNothing : other->second).lines,
                                std::back_inserter(lines));
    for (const auto& line : lines) differences.push_back(fmt::format("{} {}", line, end));
  }
}

}  // namespace

Tables read_tables(host::View& view, const std::set<std::string>& links) {
  Tables tables;
  if (const auto& all = view.links()) {
    for (const auto& link :
         *all | std::views::filter([&](const auto& l) { return links.contains(l.name); })) {
      tables[link.name] = {.index = link.index,
                           .lines = {fmt::format("link {} {}, mtu {}, link-local mode {}",
                                                 link.name, link.up ? "up" : "down", link.mtu,
                                                 link.ipv6_addr_gen_mode.value_or(0))}};
    }
  }
  add_lines(tables, view, view.addresses());
  add_lines(tables, view, view.routes());
  for (auto& [name, link] : tables) std::ranges::sort(link.lines);
  return tables;
}

std::vector<std::string> table_difference(const Tables& before, const Tables& after) {
  std::vector<std::string> differences;
  add_difference(before, after, "is gone", differences);
  add_difference(after, before, "is new", differences);
  return differences;
}

std::vector<std::string> gone_from_tables(const Tables& before, const Tables& after) {
  auto same_devices = before;
  std::erase_if(same_devices, [&](const auto& entry) {
    const auto now = after.find(entry.first);
    return now == after.end() || now->second.index != entry.second.index;
  });
  std::vector<std::string> gone;
  add_difference(same_devices, after, "is gone", gone);
  return gone;
}

}  // namespace spark::state
