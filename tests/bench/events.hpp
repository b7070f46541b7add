#pragma once
// Events: what the kernel tells of links, addresses and routes in this network namespace, counted.

#include <cstddef>

#include "host/netlink_socket.hpp"

namespace spark::bench {

class Events {
 public:
  /// Hears them from now on: the groups of `ip monitor link address route`.
  Events();

  /// How many came since the last call.
  std::size_t take();
  /// Waits until none has come for three seconds: the kernel tells of a carrier, and of the end of
  /// IPv6 duplicate address detection, some time after a link is up.
  void wait_for_silence();

 private:
  NetlinkHandle socket_;
};

}  // namespace spark::bench
