#pragma once
// take_datagrams: everything that the kernel has told a netlink socket of events.

#include <functional>
#include <string_view>

#include "base/result.hpp"

namespace spark {

/// Thousands of events: a burst is one wake-up, and an overrun costs no more than one.
inline constexpr int kEventBufferBytes = 1024 * 1024;

/// Empties the socket without waiting. Only the kernel has port 0; what other processes send there
/// is passed over (netlink(7)). A datagram beyond 8 KiB is cut. True: some were lost (ENOBUFS).
/// Errors: the socket cannot be read.
Result<bool> take_datagrams(int socket, const std::function<void(std::string_view)>& take);

}  // namespace spark
