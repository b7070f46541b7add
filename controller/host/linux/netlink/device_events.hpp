#pragma once
// The kernel's uevents of the devices that this program knows: network, RDMA, NVMe, block and PCI
// (netlink(7), NETLINK_KOBJECT_UEVENT).

#include <chrono>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace spark::host {

/// A socket that hears them from now on, and does not block.
Result<UniqueFd> open_device_events();

/// Takes all that are there, without waiting. True: one is about our devices, or some were lost.
bool take_device_events(int socket);

/// Waits for the next about our devices, and takes all that are there. False: none came until
/// `end`. Errors: the socket cannot be waited for.
Result<bool> wait_for_device_event(int socket, std::chrono::steady_clock::time_point end);

}  // namespace spark::host
