#include "base/wait.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <limits>

#include <sys/inotify.h>

namespace spark {

int milliseconds_until(SteadyTime end) {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
  return static_cast<int>(
      std::clamp<std::int64_t>(left.count(), 0, std::numeric_limits<int>::max()));
}

int poll_until(std::span<pollfd> entries, SteadyTime end) {
  while (true) {
    const int ready = poll(entries.data(), entries.size(), milliseconds_until(end));
    if (ready >= 0 || errno != EINTR) return ready;
  }
}

bool wait_for(int descriptor, short events, SteadyTime end) {
  pollfd entry{.fd = descriptor, .events = events, .revents = 0};
  return poll_until({&entry, 1}, end) > 0;
}

std::unexpected<Error> fail_inotify(int number) {
  if (number != EMFILE) return fail_errno(number, "inotify_init1");
  return fail_errno(
      number,
      "this user may have as many inotify instances as fs.inotify.max_user_instances says, which "
      "is 128 by default, and containers use them up (`sysctl -w "
      "fs.inotify.max_user_instances=1024`, and a line in /etc/sysctl.d): inotify_init1");
}

Result<UniqueFd> make_inotify() {
  UniqueFd changes(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!changes.valid()) return fail_inotify(errno);
  return changes;
}

}  // namespace spark
