#include "host/linux/netlink/datagrams.hpp"

#include <array>
#include <cerrno>

#include <linux/netlink.h>
#include <sys/socket.h>

namespace spark {

Result<bool> take_datagrams(int socket, const std::function<void(std::string_view)>& take) {
  std::array<char, 8192> buffer{};
  bool lost = false;
  while (true) {
    sockaddr_nl sender{};
    socklen_t size = sizeof sender;
    const auto got = recvfrom(socket, buffer.data(), buffer.size(), MSG_DONTWAIT,
                              reinterpret_cast<sockaddr*>(&sender), &size);
    if (got >= 0) {
      if (sender.nl_pid == 0) {
        take(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
      }
    } else if (errno == ENOBUFS) {
      lost = true;
    } else if (errno == EAGAIN) {
      return lost;
    } else if (errno != EINTR) {
      return fail_errno(errno, "wait for netlink");
    }
  }
}

}  // namespace spark
