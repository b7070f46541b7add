#include "base/wait.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <limits>

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

}  // namespace spark
