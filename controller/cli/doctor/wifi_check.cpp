#include <algorithm>

#include <fmt/format.h>

#include "cli/doctor/checks.hpp"
#include "host/view.hpp"

namespace spark::cli {
namespace {

bool is_wifi(host::Files& files, const host::LinkInfo& link) {
  // Of cfg80211, which all drivers of Wi-Fi use: a link to the device of all its interfaces.
  const auto device = files.list(fmt::format("/sys/class/net/{}/phy80211", link.name));
  return device && !device->empty();
}

bool has_default_route(const std::vector<host::RouteInfo>& routes, const host::LinkInfo& link) {
  return std::ranges::any_of(routes, [&](const host::RouteInfo& route) {
    return route.destination.prefix_len == 0 && route.link_index == link.index;
  });
}

}  // namespace

Findings check_wifi(const Command& command) {
  host::View view(command.host);
  const auto& links = view.links();
  const auto& routes = view.routes();
  if (!links || !routes) return {};  // check_network says so
  Findings findings;
  for (const auto& link : *links) {
    if (!link.carrier || !has_default_route(*routes, link) || !is_wifi(command.host.files, link)) {
      continue;
    }
    if (!command.host.netlink.wifi_power_save(link.index).value_or(false)) continue;
    findings.push_back(
        {"wifi", Severity::kLook,
         fmt::format("power save of {} is on, and a default route leads over it: an ssh session "
                     "over Wi-Fi can stall for seconds",
                     link.name),
         fmt::format("`sudo iw dev {} set power_save off`; for good: `wifi.powersave = 2` below "
                     "`[connection]` in a file of /etc/NetworkManager/conf.d",
                     link.name)});
  }
  return findings;
}

}  // namespace spark::cli
