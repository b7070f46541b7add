#pragma once
// Monitor: hears what `ip monitor link address route` would print in a network namespace, from the
// moment it is made; the kernel queues each event before it answers the process that caused it.

#include <string>
#include <vector>

#include "host/linux/netlink/socket.hpp"

namespace spark::test {

class Monitor {
 public:
  explicit Monitor(int network);

  /// Waits until nothing came for more than a second, and forgets what came: the kernel tells of a
  /// carrier at most once a second (net/core/link_watch.c). At most ten seconds.
  void wait_for_silence();
  /// All since the last call: "link enp1s0f0np0 up mtu 9000", "link enp1s0f0np0 gone",
  /// "add 192.0.2.1/24", "remove 192.0.2.1/24"; "route" for any change of a route.
  std::vector<std::string> take();
  /// The same without links and routes, and without what the kernel repeats of an address: it
  /// announces one again when its detection of duplicates or its primary is over.
  std::vector<std::string> take_addresses();

 private:
  host::NetlinkHandle socket_;
};

}  // namespace spark::test
