#include "state/bounded_time.hpp"

#include <algorithm>
#include <utility>

namespace spark::state {

using std::chrono::milliseconds;

BoundedTime bounded_time(const Moment& since, const Moment& until, std::string boot_id) {
  return {.since = since.wall.time_since_epoch(),
          .until = until.wall.time_since_epoch(),
          .until_boot = until.boot,
          .boot_id = std::move(boot_id)};
}

milliseconds length_of(const BoundedTime& time, milliseconds longest) {
  return std::clamp(time.until - time.since, milliseconds(0), longest);
}

milliseconds left_of(const BoundedTime& time, milliseconds longest, const Moment& now,
                     const std::string& boot_id) {
  const bool same_boot = !boot_id.empty() && time.boot_id == boot_id;
  const auto left =
      same_boot ? time.until_boot - now.boot : time.until - now.wall.time_since_epoch();
  return std::min(left, length_of(time, longest));
}

}  // namespace spark::state
