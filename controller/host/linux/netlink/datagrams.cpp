#include "host/linux/netlink/datagrams.hpp"

#include <array>
#include <cerrno>

#include <linux/netlink.h>
#include <sys/socket.h>

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

}  // namespace spark::host
