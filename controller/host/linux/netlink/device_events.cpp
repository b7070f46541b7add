#include "host/linux/netlink/device_events.hpp"

#include <string_view>

#include <linux/netlink.h>

#include "host/linux/netlink/changes.hpp"
#include "host/linux/netlink/datagrams.hpp"
#include "host/linux/netlink/socket.hpp"

namespace spark::host {

Result<UniqueFd> open_device_events() {
  constexpr unsigned kOfTheKernel = 1;
  return open_netlink_group(NETLINK_KOBJECT_UEVENT, {kOfTheKernel});
}

bool take_device_events(int socket) {
  bool told = false;
  const auto lost =
      take_datagrams(socket, [&](std::string_view event) { told |= is_about_our_devices(event); });
  // A socket that cannot be read has lost what was in it.
  return told || lost.value_or(true);
}

Result<bool> wait_for_device_event(int socket, std::chrono::steady_clock::time_point end) {
  while (true) {
    auto readable = wait_readable(socket, end);
    if (!readable || !*readable) return readable;
    if (take_device_events(socket)) return true;
    // Others' events may never end.
    if (std::chrono::steady_clock::now() >= end) return false;
  }
}

}  // namespace spark::host
