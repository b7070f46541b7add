#include "host/linux/netlink/events.hpp"

#include <utility>

#include <linux/rtnetlink.h>
#include <netlink/errno.h>
#include <netlink/netlink.h>

#include "host/linux/netlink/changes.hpp"

namespace spark::host {
Result<NetlinkEvents> NetlinkEvents::open() {
  auto socket = open_netlink(kEventBufferBytes);
  if (!socket) return std::unexpected(socket.error());
  const int error = nl_socket_add_memberships(socket->get(), RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR,
                                              RTNLGRP_IPV6_IFADDR, RTNLGRP_NONE);
  if (error < 0) {
    return fail(ErrorCode::kSystem,
                std::string("watch links and addresses: ") + nl_geterror(error));
  }
  return NetlinkEvents(std::move(*socket));
}

Result<bool> NetlinkEvents::wait(std::chrono::milliseconds deadline) {
  const auto end = std::chrono::steady_clock::now() + deadline;
  while (true) {
    const auto readable = wait_readable(nl_socket_get_fd(socket_.get()), end);
    if (!readable || !*readable) return readable;
    const auto event = drain();
    if (!event || *event) return event;
  }
}

Result<bool> NetlinkEvents::drain() {
  bool told = false;
  auto lost =
      take_datagrams(nl_socket_get_fd(socket_.get()), [&](std::string_view) { told = true; });
  if (!lost) return lost;
  return told || *lost;
}

}  // namespace spark::host
