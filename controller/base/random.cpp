#include "base/random.hpp"

#include <algorithm>
#include <cerrno>

#include <sys/random.h>

namespace spark {

Result<void> fill_random(std::span<std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const auto got = ::getrandom(bytes.data(), bytes.size(), 0);
    if (got < 0 && errno != EINTR) {
      return fail_errno(errno, "ask the kernel for random numbers");
    }
    bytes = bytes.subspan(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  }
  return {};
}

}  // namespace spark
