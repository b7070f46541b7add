#include "daemon/common/time_text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace spark::daemon {

using std::chrono::duration_cast;

bool is_set(const Moment& moment) { return moment.wall.time_since_epoch().count() != 0; }

std::string utc_words(const Moment& moment) {
  return fmt::format("{} {}", utc_text(moment.wall).substr(0, 10), utc_clock(moment));
}

std::string utc_clock(const Moment& moment) { return utc_text(moment.wall).substr(11, 8) + " UTC"; }

double in_seconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

double unix_seconds(const Moment& moment) { return in_seconds(moment.wall.time_since_epoch()); }

std::chrono::milliseconds age(const Moment& since, const Moment& now) {
  // CLOCK_BOOTTIME starts again with each boot: what is ahead of it was kept from an earlier one.
  const auto passed = since.boot <= now.boot ? now.boot - since.boot : now.wall - since.wall;
  return std::max(passed, std::chrono::milliseconds::zero());
}

std::string duration_text(std::chrono::nanoseconds duration) {
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

}  // namespace spark::daemon
