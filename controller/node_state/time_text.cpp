#include "node_state/time_text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace spark::node_state {

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

}  // namespace spark::node_state
