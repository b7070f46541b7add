#include "protocol/alive.hpp"

#include <charconv>
#include <system_error>

#include <fmt/format.h>

namespace spark::protocol {

using std::chrono::milliseconds;

bool is_boot_time(std::int64_t boot_ms) {
  constexpr milliseconds kLongest = std::chrono::days(36'500);
  return boot_ms >= -kLongest.count() && boot_ms <= kLongest.count();
}

std::string alive_text(milliseconds now) {
  return fmt::format("{:016}\n", (now + kAliveCounts).count());
}

Result<std::optional<milliseconds>> silent_since(std::string_view writer, milliseconds now,
                                                 const std::optional<std::string>& alive) {
  if (!alive) return std::nullopt;
  std::int64_t until = 0;
  const auto [end, error] = std::from_chars(alive->data(), alive->data() + alive->size(), until);
  if (error != std::errc{} || !is_boot_time(until)) {
    return fail(ErrorCode::kInvalid, fmt::format("when {} lived last is not understood", writer));
  }
  if (now.count() <= until) return std::nullopt;
  return milliseconds(until) - kAliveCounts;
}

}  // namespace spark::protocol
