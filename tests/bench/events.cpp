#include "bench/events.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <utility>

#include <linux/rtnetlink.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "bench/process.hpp"

namespace spark::bench {
namespace {

constexpr int kReceiveBufferBytes = 4 * 1024 * 1024;
/// IPv6 duplicate address detection: up to one second's delay, and one for the probe (RFC
/// 4862 5.4).
constexpr std::chrono::seconds kSilence{3};

using Datagram = std::array<char, 65536>;

void for_each_message(Datagram& datagram, ssize_t bytes,
                      const std::function<void(const nlmsghdr&)>& take) {
  auto left = static_cast<int>(bytes);
  for (auto* message = reinterpret_cast<nlmsghdr*>(datagram.data()); nlmsg_ok(message, left) != 0;
       message = nlmsg_next(message, &left)) {
    take(*message);
  }
}

}  // namespace

Events::Events() {
  auto opened = host::open_netlink(kReceiveBufferBytes);
  if (!opened) {
    give_up(opened.error().what);
  }
  socket_ = std::move(*opened);
  if (nl_socket_add_memberships(socket_.get(), RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR,
                                RTNLGRP_IPV6_IFADDR, RTNLGRP_IPV4_ROUTE, RTNLGRP_IPV6_ROUTE,
                                RTNLGRP_NONE) != 0) {
    give_up("cannot listen to kernel events");
  }
  const timeval longest{.tv_sec = 10, .tv_usec = 0};
  setsockopt(nl_socket_get_fd(socket_.get()), SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest);
}

std::size_t Events::take() {
  alignas(nlmsghdr) Datagram buffer{};
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
    for_each_message(buffer, got, [&](const nlmsghdr&) { ++events; });
  }
}

std::chrono::steady_clock::time_point Events::wait_for(
    const std::function<bool(const nlmsghdr&)>& is_it) {
  using Clock = std::chrono::steady_clock;
  alignas(nlmsghdr) Datagram buffer{};
  while (true) {
    const auto got = recv(nl_socket_get_fd(socket_.get()), buffer.data(), buffer.size(), 0);
    const auto came = Clock::now();
    if (got < 0) {
      give_up(errno == EAGAIN ? "an event did not come" : "kernel events were lost");
    }
    bool found = false;
    for_each_message(buffer, got, [&](const nlmsghdr& message) { found |= is_it(message); });
    if (found) {
      return came;
    }
  }
}

void Events::wait_for_silence() {
  while (host::wait_readable(nl_socket_get_fd(socket_.get()),
                             std::chrono::steady_clock::now() + kSilence)
             .value_or(false)) {
    take();
  }
}

}  // namespace spark::bench
