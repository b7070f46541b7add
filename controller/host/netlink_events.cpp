#include "host/netlink_events.hpp"

#include <array>
#include <cerrno>
#include <utility>

#include <linux/rtnetlink.h>
#include <netlink/errno.h>
#include <netlink/netlink.h>
#include <sys/socket.h>

namespace spark {
namespace {

/// Thousands of address events: a burst is one wake-up, and an overrun costs no more than one.
constexpr int kReceiveBufferBytes = 1024 * 1024;

}  // namespace

Result<NetlinkEvents> NetlinkEvents::open() {
  auto socket = open_netlink(kReceiveBufferBytes);
  if (!socket) {
    return std::unexpected(socket.error());
  }
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
    if (!readable || !*readable) {
      return readable;
    }
    const auto event = drain();
    if (!event || *event) {
      return event;
    }
  }
}

Result<bool> NetlinkEvents::drain() {
  bool event = false;
  while (true) {
    sockaddr_nl sender{};
    socklen_t sender_size = sizeof(sender);
    std::array<char, sizeof(nlmsghdr)> head{};  // the rest of an event is not looked at
    const auto size = recvfrom(nl_socket_get_fd(socket_.get()), head.data(), head.size(),
                               MSG_DONTWAIT, reinterpret_cast<sockaddr*>(&sender), &sender_size);
    if (size >= 0) {
      event |= sender.nl_pid == 0;
    } else if (errno == ENOBUFS) {
      event = true;
    } else if (errno == EAGAIN) {
      return event;
    } else if (errno != EINTR) {
      return fail_errno(errno, "wait for netlink");
    }
  }
}

}  // namespace spark
