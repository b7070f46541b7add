// The peer of the daemon's corrections: holds what it is told and knows nothing else. An address
// that goes comes back as the event has it, an MTU that changes is set again; nothing is read,
// compared, remembered or told. It is the floor.
//
//   hold_loop MTU

#include <array>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <fmt/format.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <sys/socket.h>

#include "base/socket_address.hpp"
#include "base/unique_fd.hpp"
#include "host/linux/netlink/encode.hpp"
#include "host/linux/netlink/socket.hpp"

namespace spark::bench {
namespace {

constexpr int kReceiveBufferBytes = 32 * 1024 * 1024;

[[noreturn]] void give_up(std::string_view why) {
  fmt::print(stderr, "hold_loop: {}\n", why);
  std::exit(EXIT_FAILURE);
}

void say_ready() {
  const char* path = std::getenv("NOTIFY_SOCKET");
  const auto address = UnixAddress::from(path == nullptr ? "" : path);
  const UniqueFd fd(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  constexpr std::string_view kReady = "READY=1";
  if (!address ||
      sendto(fd.get(), kReady.data(), kReady.size(), 0, address->get(), address->size()) < 0) {
    give_up("nobody hears that it is ready");
  }
}

void send_to_kernel(nl_sock* socket, nlmsghdr* message) {
  message->nlmsg_pid = 0;
  message->nlmsg_seq = 0;
  if (nl_sendto(socket, message, message->nlmsg_len) < 0) {
    give_up("cannot send a request");
  }
}

void add_again(nl_sock* socket, nlmsghdr& gone) {
  gone.nlmsg_type = RTM_NEWADDR;
  gone.nlmsg_flags = NLM_F_REQUEST | NLM_F_CREATE | NLM_F_EXCL;
  send_to_kernel(socket, &gone);
}

void hold_mtu(nl_sock* socket, nlmsghdr& link, std::uint32_t wanted) {
  const auto* mtu = nlmsg_find_attr(&link, sizeof(ifinfomsg), IFLA_MTU);
  if (mtu != nullptr && nla_get_u32(mtu) != wanted) {
    const auto request =
        host::encode_set_mtu(static_cast<const ifinfomsg*>(nlmsg_data(&link))->ifi_index, wanted);
    send_to_kernel(socket, request.header());
  }
}

void run(std::uint32_t mtu) {
  auto events = host::open_netlink(kReceiveBufferBytes);
  auto requests = host::open_netlink(kReceiveBufferBytes);
  if (!events || !requests ||
      nl_socket_add_memberships(events->get(), RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR, RTNLGRP_NONE) !=
          0) {
    give_up("cannot listen to kernel events");
  }
  say_ready();
  alignas(nlmsghdr) std::array<char, 65536> buffer{};
  while (true) {
    const auto got = recv(nl_socket_get_fd(events->get()), buffer.data(), buffer.size(), 0);
    if (got < 0) {
      give_up("kernel events were lost");
    }
    auto left = static_cast<int>(got);
    for (auto* message = reinterpret_cast<nlmsghdr*>(buffer.data()); nlmsg_ok(message, left) != 0;
         message = nlmsg_next(message, &left)) {
      if (message->nlmsg_type == RTM_DELADDR) {
        add_again(requests->get(), *message);
      } else if (message->nlmsg_type == RTM_NEWLINK) {
        hold_mtu(requests->get(), *message, mtu);
      }
    }
  }
}

}  // namespace
}  // namespace spark::bench

int main(int argc, char** argv) {
  if (argc != 2) {
    spark::bench::give_up("usage: hold_loop MTU");
  }
  spark::bench::run(static_cast<std::uint32_t>(std::strtoul(argv[1], nullptr, 10)));
}
