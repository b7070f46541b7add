#include "base/duration_text.hpp"

#include <fmt/format.h>

namespace spark {

std::string duration_text(std::chrono::nanoseconds duration) {
  using std::chrono::duration_cast;
  const auto seconds = duration_cast<std::chrono::seconds>(duration).count();
  if (seconds < 1) {
    return fmt::format("{} ms", duration_cast<std::chrono::milliseconds>(duration).count());
  }
  const auto two = [](auto large, const char* large_unit, auto small, const char* small_unit) {
    return small == 0 ? fmt::format("{} {}", large, large_unit)
                      : fmt::format("{} {} {} {}", large, large_unit, small, small_unit);
  };
  if (seconds < 60) return fmt::format("{} s", seconds);
  if (seconds < 3600) return fmt::format("{} min", seconds / 60);
  if (seconds < 86400) return two(seconds / 3600, "h", seconds % 3600 / 60, "min");
  return two(seconds / 86400, "d", seconds % 86400 / 3600, "h");
}

}  // namespace spark
