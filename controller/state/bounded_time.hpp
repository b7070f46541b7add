#pragma once
// BoundedTime: how the files of pauses and mutes hold a time that ends by itself, so that no clock
// prolongs it.

#include <chrono>
#include <string>

#include "base/fields.hpp"
#include "base/moment.hpp"

namespace spark::state {

struct BoundedTime {
  std::chrono::milliseconds since{};       ///< wall clock
  std::chrono::milliseconds until{};       ///< wall clock
  std::chrono::milliseconds until_boot{};  ///< boot clock, of that boot
  std::string boot_id;  ///< empty: it could not be read, or an older version wrote the time
};

template <EitherConst<BoundedTime> T, class Visit>
void each_field(T& time, Visit visit) {
  visit("since_ms", time.since);
  visit("until_ms", time.until);
  visit("until_boot_ms", may_lack(time.until_boot));
  visit("boot_id", may_lack(time.boot_id));
}

/// `boot_id`: of this boot.
BoundedTime bounded_time(const Moment& since, const Moment& until, std::string boot_id);

/// At most `longest`, whatever the file says.
std::chrono::milliseconds length_of(const BoundedTime& time, std::chrono::milliseconds longest);

/// Not positive: it is over. The boot clock decides; after a reboot the wall clock does. However
/// the wall clock was set, it is never more than the whole length.
std::chrono::milliseconds left_of(const BoundedTime& time, std::chrono::milliseconds longest,
                                  const Moment& now, const std::string& boot_id);

}  // namespace spark::state
