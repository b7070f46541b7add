#include "process/monitor.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <linux/rtnetlink.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <sys/socket.h>

#include "host/linux/netlink/decode.hpp"
#include "process/spark.hpp"

namespace spark::test {
namespace {

constexpr int kReceiveBufferBytes = 4 * 1024 * 1024;

std::string text_of_link(const nlmsghdr& message) {
  const auto link = host::decode_link(message);
  if (!link) return "link that cannot be read: " + link.error().what;
  return message.nlmsg_type == RTM_DELLINK
             ? fmt::format("link {} gone", link->name)
             : fmt::format("link {} {} mtu {}", link->name, link->up ? "up" : "down", link->mtu);
}

std::string text_of_address(const nlmsghdr& message) {
  const auto address = host::decode_address(message);
  if (!address || !*address) return "address that cannot be read";
  return fmt::format("{} {}", message.nlmsg_type == RTM_NEWADDR ? "add" : "remove",
                     (*address)->address.text());
}

std::string text_of(const nlmsghdr& message) {
  switch (message.nlmsg_type) {
    case RTM_NEWLINK:
    case RTM_DELLINK:
      return text_of_link(message);
    case RTM_NEWADDR:
    case RTM_DELADDR:
      return text_of_address(message);
    default:
      return "route";
  }
}

}  // namespace

Monitor::Monitor(int network) {
  in_network(network, [this] {
    auto opened = host::open_netlink(kReceiveBufferBytes);
    ASSERT_TRUE(opened) << opened.error().what;
    socket_ = std::move(*opened);
    EXPECT_EQ(nl_socket_add_memberships(socket_.get(), RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR,
                                        RTNLGRP_IPV6_IFADDR, RTNLGRP_IPV4_ROUTE, RTNLGRP_IPV6_ROUTE,
                                        RTNLGRP_NONE),
              0);
  });
}

void Monitor::wait_for_silence() {
  using std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kSilence{1100};
  const auto deadline = steady_clock::now() + std::chrono::seconds(10);
  while (host::wait_readable(nl_socket_get_fd(socket_.get()), steady_clock::now() + kSilence)
             .value_or(false)) {
    take();
    ASSERT_LT(steady_clock::now(), deadline) << "the kernel has ever more to tell";
  }
}

std::vector<std::string> Monitor::take() {
  std::vector<std::string> events;
  alignas(nlmsghdr) std::array<char, 65536> buffer{};
  while (true) {
    const auto got =
        recv(nl_socket_get_fd(socket_.get()), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got < 0) {
      EXPECT_EQ(errno, EAGAIN) << "events were lost";
      return events;
    }
    auto left = static_cast<int>(got);
    for (auto* message = static_cast<nlmsghdr*>(static_cast<void*>(buffer.data()));
         nlmsg_ok(message, left) != 0; message = nlmsg_next(message, &left)) {
      events.push_back(text_of(*message));
    }
  }
}

std::vector<std::string> Monitor::take_addresses() {
  std::vector<std::string> changes;
  std::map<std::string, std::string> last;
  for (const auto& event : take()) {
    const auto verb = event.substr(0, event.find(' '));
    const bool is_address = verb == "add" || verb == "remove";
    if (is_address && std::exchange(last[event.substr(verb.size())], verb) != verb) {
      changes.push_back(event);
    }
  }
  return changes;
}

}  // namespace spark::test
