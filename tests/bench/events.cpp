#include "bench/events.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <utility>

#include <linux/rtnetlink.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <sys/socket.h>

#include "bench/process.hpp"

namespace spark::bench {
namespace {

constexpr int kReceiveBufferBytes = 4 * 1024 * 1024;
/// IPv6 duplicate address detection: up to one second's delay, and one for the probe (RFC
/// 4862 5.4).
constexpr std::chrono::seconds kSilence{3};

}  // namespace

Events::Events() {
  auto opened = open_netlink(kReceiveBufferBytes);
  if (!opened) {
    give_up(opened.error().what);
  }
  socket_ = std::move(*opened);
  if (nl_socket_add_memberships(socket_.get(), RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR,
                                RTNLGRP_IPV6_IFADDR, RTNLGRP_IPV4_ROUTE, RTNLGRP_IPV6_ROUTE,
                                RTNLGRP_NONE) != 0) {
    give_up("cannot listen to kernel events");
  }
}

std::size_t Events::take() {
  alignas(nlmsghdr) std::array<char, 65536> buffer{};
  std::size_t events = 0;
  while (true) {
    const auto got =
        recv(nl_socket_get_fd(socket_.get()), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EAGAIN) {
      return events;
    }
    if (got < 0) {
      give_up("kernel events were lost");
    }
    auto left = static_cast<int>(got);
    for (auto* message = reinterpret_cast<nlmsghdr*>(buffer.data()); nlmsg_ok(message, left) != 0;
         message = nlmsg_next(message, &left)) {
      ++events;
    }
  }
}

void Events::wait_for_silence() {
  while (wait_readable(nl_socket_get_fd(socket_.get()), std::chrono::steady_clock::now() + kSilence)
             .value_or(false)) {
    take();
  }
}

}  // namespace spark::bench
