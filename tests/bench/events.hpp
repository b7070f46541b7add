#pragma once
// Events: what the kernel tells of links, addresses and routes in this network namespace.

#include <chrono>
#include <cstddef>
#include <functional>

#include <linux/netlink.h>

#include "host/linux/netlink/socket.hpp"

namespace spark::bench {

class Events {
 public:
  /// Hears them from now on: the groups of `ip monitor link address route`.
  Events();

  /// How many came since the last call.
  std::size_t take();
  /// When the first came, from now on, that `is_it` accepts: taken as soon as it can be received.
  /// One that does not come within ten seconds ends the benchmarks.
  std::chrono::steady_clock::time_point wait_for(const std::function<bool(const nlmsghdr&)>& is_it);
  /// Waits until none has come for three seconds: the kernel tells of a carrier, and of the end of
  /// IPv6 duplicate address detection, some time after a link is up.
  void wait_for_silence();

 private:
  host::NetlinkHandle socket_;
};

}  // namespace spark::bench
