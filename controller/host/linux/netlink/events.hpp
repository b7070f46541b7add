#pragma once
// NetlinkEvents: says that links or addresses changed, not how: the caller reads them again.

#include <chrono>

#include "base/result.hpp"
#include "host/linux/netlink/socket.hpp"

namespace spark::host {

class NetlinkEvents {
 public:
  /// Joins the groups of links, IPv4 and IPv6 addresses.
  static Result<NetlinkEvents> open();

  /// Waits for an event and takes all that are there. False: none until the deadline.
  Result<bool> wait(std::chrono::milliseconds deadline);

 private:
  explicit NetlinkEvents(NetlinkHandle socket) : socket_(std::move(socket)) {}

  /// Empties the socket. True: something from the kernel was in it, or was lost.
  Result<bool> drain();

  NetlinkHandle socket_;
};

}  // namespace spark::host
