#include "base/random.hpp"

#include <algorithm>
#include <cerrno>
#include <vector>

#include <fmt/format.h>
#include <sys/random.h>

namespace spark {

Result<void> fill_random(std::span<std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const auto got = ::getrandom(bytes.data(), bytes.size(), 0);
    if (got < 0 && errno != EINTR) return fail_errno(errno, "ask the kernel for random numbers");
    bytes = bytes.subspan(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  }
  return {};
}

Result<std::string> random_hex(std::size_t bytes) {
  std::vector<std::uint8_t> raw(bytes);
  if (auto filled = fill_random(raw); !filled) return std::unexpected(filled.error());
  std::string text;
  for (const auto byte : raw) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace spark
