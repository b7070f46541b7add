#include "host/linux/netlink/changes.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <linux/if_addr.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include "host/linux/netlink/socket.hpp"

namespace spark::host {

Result<UniqueFd> open_netlink_group(int protocol, const std::vector<unsigned>& groups) {
  UniqueFd fd(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol));
  if (!fd.valid()) return fail_errno(errno, "open a netlink socket");
  // Past the limit with CAP_NET_ADMIN, up to it without.
  if (setsockopt(fd.get(), SOL_SOCKET, SO_RCVBUFFORCE, &kEventBufferBytes,
                 sizeof kEventBufferBytes) != 0) {
    static_cast<void>(
        setsockopt(fd.get(), SOL_SOCKET, SO_RCVBUF, &kEventBufferBytes, sizeof kEventBufferBytes));
  }
  sockaddr_nl address{};
  address.nl_family = AF_NETLINK;
  if (bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    return fail_errno(errno, "bind a netlink socket");
  }
  for (const auto group : groups) {
    if (setsockopt(fd.get(), SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof group) != 0) {
      return fail_errno(errno, "join a netlink group");
    }
  }
  return fd;
}

Result<bool> take_datagrams(int socket, const std::function<void(std::string_view)>& take) {
  std::array<char, 8192> buffer{};
  bool lost = false;
  while (true) {
    sockaddr_nl sender{};
    socklen_t size = sizeof sender;
    const auto got = recvfrom(socket, buffer.data(), buffer.size(), MSG_DONTWAIT,
                              reinterpret_cast<sockaddr*>(&sender), &size);
    if (got >= 0) {
      if (sender.nl_pid == 0) take(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
    } else if (errno == ENOBUFS) {
      lost = true;
    } else if (errno == EAGAIN) {
      return lost;
    } else if (errno != EINTR) {
      return fail_errno(errno, "wait for netlink");
    }
  }
}

namespace {

/// The link that an event of these groups is about; 0: a route, or no such event.
int link_of(const nlmsghdr& header, std::string_view body) {
  const auto index_in = [&](auto message, auto member) {
    if (body.size() < sizeof message) return 0;
    body.copy(reinterpret_cast<char*>(&message), sizeof message);
    return static_cast<int>(message.*member);
  };
  switch (header.nlmsg_type) {
    case RTM_NEWLINK:
    case RTM_DELLINK:
      return index_in(ifinfomsg{}, &ifinfomsg::ifi_index);
    case RTM_NEWADDR:
    case RTM_DELADDR:
      return index_in(ifaddrmsg{}, &ifaddrmsg::ifa_index);
    default:
      return 0;
  }
}

/// The process behind a netlink port; 0: none is known. The kernel gives a process's first socket
/// the process's number and makes others up from -4096 downwards; libnl puts a count of its own
/// into the upper ten bits.
std::uint32_t process_of(std::uint32_t port) {
  constexpr unsigned kProcessBits = 22;
  constexpr std::uint32_t kMadeUp = UINT32_MAX >> kProcessBits;
  return port >> kProcessBits == kMadeUp ? 0 : port & ((1U << kProcessBits) - 1);
}

}  // namespace

std::vector<LinkChange> changes_in(std::string_view datagram) {
  std::vector<LinkChange> changes;
  nlmsghdr header{};
  while (datagram.size() >= sizeof header) {
    std::memcpy(&header, datagram.data(), sizeof header);
    const auto size = std::min<std::size_t>(header.nlmsg_len, datagram.size());
    if (size < sizeof header) break;
    const LinkChange change{
        .link = link_of(header, datagram.substr(sizeof header, size - sizeof header)),
        .process = process_of(header.nlmsg_pid)};
    if (change.link != 0 && change.process != 0) changes.push_back(change);
    datagram.remove_prefix(std::min<std::size_t>(NLMSG_ALIGN(size), datagram.size()));
  }
  return changes;
}

bool is_about_our_devices(std::string_view uevent) {
  constexpr std::array<std::string_view, 5> kSubsystems{"net", "infiniband", "nvme", "block",
                                                        "pci"};
  constexpr std::string_view kName = "SUBSYSTEM=";
  for (std::size_t at = 0; at < uevent.size();) {
    const auto end = std::min(uevent.find('\0', at), uevent.size());
    const auto piece = uevent.substr(at, end - at);
    if (piece.starts_with(kName)) {
      return std::ranges::find(kSubsystems, piece.substr(kName.size())) != kSubsystems.end();
    }
    at = end + 1;
  }
  return false;
}

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
