#include "reconcile/table_difference.hpp"

#include <algorithm>
#include <iterator>
#include <ranges>

#include <fmt/format.h>
#include <linux/if_addr.h>

namespace spark {
namespace {

/// Flags that the kernel moves by itself while nobody changes the address.
constexpr std::uint32_t kPassingFlags = IFA_F_TENTATIVE | IFA_F_DEPRECATED | IFA_F_SECONDARY;

std::string name_of_link(View& view, int index) {
  const auto* link = view.link(index);
  return link == nullptr ? std::string("none") : link->name;
}

std::vector<std::string> lines_of(View& view, const std::set<std::string>& names) {
  std::vector<std::string> lines;
  const auto concerns = [&](int index) { return names.contains(name_of_link(view, index)); };
  if (const auto& links = view.links()) {
    for (const auto& link :
         *links | std::views::filter([&](const auto& l) { return names.contains(l.name); })) {
      lines.push_back(fmt::format("link {} {}, mtu {}, link-local mode {}", link.name,
                                  link.up ? "up" : "down", link.mtu,
                                  link.ipv6_addr_gen_mode.value_or(0)));
    }
  }
  if (const auto& addresses = view.addresses()) {
    for (const auto& address :
         *addresses | std::views::filter([&](const auto& a) { return concerns(a.link_index); })) {
      lines.push_back(
          fmt::format("address {} {} flags {:#x}, scope {}, protocol {}, label '{}', metric {}",
                      name_of_link(view, address.link_index), address.address.text(),
                      address.flags & ~kPassingFlags, address.scope, address.protocol,
                      address.label, address.route_metric));
    }
  }
  if (const auto& routes = view.routes()) {
    for (const auto& route :
         *routes | std::views::filter([&](const auto& r) { return concerns(r.link_index); })) {
      lines.push_back(fmt::format("route {}{} dev {} table {} metric {}{}",
                                  route.destination.text(),
                                  route.gateway ? " via " + route.gateway->text() : "",
                                  name_of_link(view, route.link_index), route.table, route.metric,
                                  route.source ? " src " + route.source->text() : ""));
    }
  }
  std::ranges::sort(lines);
  return lines;
}

}  // namespace

std::vector<std::string> table_difference(View& before, View& after,
                                          const std::set<std::string>& links) {
  const auto old_lines = lines_of(before, links);
  const auto new_lines = lines_of(after, links);
  std::vector<std::string> gone;
  std::vector<std::string> added;
  std::ranges::set_difference(old_lines, new_lines, std::back_inserter(gone));
  std::ranges::set_difference(new_lines, old_lines, std::back_inserter(added));
  std::vector<std::string> differences;
  for (const auto& line : gone) {
    differences.push_back(line + " is gone");
  }
  for (const auto& line : added) {
    differences.push_back(line + " is new");
  }
  return differences;
}

}  // namespace spark
