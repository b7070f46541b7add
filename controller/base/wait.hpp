#pragma once
// Waiting for descriptors by poll(2), until a moment and not for a time.

#include <chrono>
#include <span>

#include <poll.h>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace spark {

using SteadyTime = std::chrono::steady_clock::time_point;

/// For poll(2): rounded up, so that it does not return before `end`; 0 when that has passed.
int milliseconds_until(SteadyTime end);

/// poll(2), which signals do not end. How many are ready; 0: none before `end`; -1: errno says why.
int poll_until(std::span<pollfd> entries, SteadyTime end);

/// The same for one. False: none of the events (POLLIN, POLLOUT, …) before `end`, or poll(2)
/// failed.
bool wait_for(int descriptor, short events, SteadyTime end);

/// The error of inotify_init1 with this errno; where the user has no more instances, with the limit
/// and how to raise it (inotify(7): fs.inotify.max_user_instances, 128 by default, which a machine
/// of many containers uses up).
std::unexpected<Error> fail_inotify(int number);

/// An inotify instance that does not block. Errors: those of `fail_inotify`.
Result<UniqueFd> make_inotify();

}  // namespace spark
