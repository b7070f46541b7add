#pragma once
// Waiting for descriptors by poll(2), until a moment and not for a time.

#include <chrono>
#include <span>

#include <poll.h>

namespace spark {

using SteadyTime = std::chrono::steady_clock::time_point;

/// For poll(2): rounded up, so that it does not return before `end`; 0 when that has passed.
int milliseconds_until(SteadyTime end);

/// poll(2), which signals do not end. How many are ready; 0: none before `end`; -1: errno says why.
int poll_until(std::span<pollfd> entries, SteadyTime end);

/// The same for one. False: none of the events (POLLIN, POLLOUT, …) before `end`, or poll(2)
/// failed.
bool wait_for(int descriptor, short events, SteadyTime end);

}  // namespace spark
