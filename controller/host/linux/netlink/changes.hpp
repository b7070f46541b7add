#pragma once
// What a datagram of netlink events says of a change: which link it is about, and which process
// made it. Pure: from bytes to values.

#include <chrono>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace spark::host {

// Sockets of netlink events: opening one, and taking everything that the kernel has sent to it.

/// Thousands of events: a burst is one wake-up, and an overrun costs no more than one.
inline constexpr int kEventBufferBytes = 1024 * 1024;

/// A socket that hears these groups and does not block. Errors: kSystem.
Result<UniqueFd> open_netlink_group(int protocol, const std::vector<unsigned>& groups);

/// Empties the socket without waiting. Only the kernel has port 0; what other processes send there
/// is passed over (netlink(7)). A datagram beyond 8 KiB is cut. True: some were lost (ENOBUFS).
/// Errors: the socket cannot be read.
Result<bool> take_datagrams(int socket, const std::function<void(std::string_view)>& take);

/// A change of a link, or of an address on it, that a process made.
struct LinkChange {
  int link = 0;               ///< index
  std::uint32_t process = 0;  ///< number; it may have ended

  bool operator==(const LinkChange&) const = default;
};

/// The changes in a datagram of the groups of links, addresses and routes, in their order. Left
/// out: routes, changes of the kernel's own, changes through a port that names no process, and what
/// is cut short.
std::vector<LinkChange> changes_in(std::string_view datagram);

/// Whether a uevent of the kernel ("add@/devices/…", then NAME=value pieces, each ended by a zero
/// byte) is about a network, RDMA, NVMe, block or PCI device (netlink(7), NETLINK_KOBJECT_UEVENT).
bool is_about_our_devices(std::string_view uevent);

// The kernel's uevents of the devices that this program knows: network, RDMA, NVMe, block and PCI
// (netlink(7), NETLINK_KOBJECT_UEVENT).

/// A socket that hears them from now on, and does not block.
Result<UniqueFd> open_device_events();

/// Takes all that are there, without waiting. True: one is about our devices, or some were lost.
bool take_device_events(int socket);

/// Waits for the next about our devices, and takes all that are there. False: none came until
/// `end`. Errors: the socket cannot be waited for.
Result<bool> wait_for_device_event(int socket, std::chrono::steady_clock::time_point end);

}  // namespace spark::host
