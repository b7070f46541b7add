#pragma once
// Sockets of netlink events: opening one, and taking everything that the kernel has sent to it.

#include <functional>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace spark::host {

/// Thousands of events: a burst is one wake-up, and an overrun costs no more than one.
inline constexpr int kEventBufferBytes = 1024 * 1024;

/// A socket that hears these groups and does not block. Errors: kSystem.
Result<UniqueFd> open_netlink_group(int protocol, const std::vector<unsigned>& groups);

/// Empties the socket without waiting. Only the kernel has port 0; what other processes send there
/// is passed over (netlink(7)). A datagram beyond 8 KiB is cut. True: some were lost (ENOBUFS).
/// Errors: the socket cannot be read.
Result<bool> take_datagrams(int socket, const std::function<void(std::string_view)>& take);

}  // namespace spark::host
