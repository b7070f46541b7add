#pragma once
// Moment: an instant, on the clock that people read and on the clock that measures.

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "base/fields.hpp"

namespace spark {

/// One instant on two clocks. `boot` is the one to measure with: the wall clock jumps when somebody
/// sets it. Both go on during suspend.
struct Moment {
  std::chrono::sys_time<std::chrono::milliseconds> wall;
  std::chrono::milliseconds
      boot{};  ///< since the machine booted, suspend included (CLOCK_BOOTTIME)
};

template <EitherConst<Moment> T, class Visit>
void each_field(T& moment, Visit visit) {
  visit("wall_ms", moment.wall);
  visit("boot_ms", moment.boot);
}

inline Moment later(const Moment& moment, std::chrono::milliseconds by) {
  return {moment.wall + by, moment.boot + by};
}

/// "2026-01-31T09:30:00Z" (RFC 3339).
std::string utc_text(std::chrono::sys_time<std::chrono::milliseconds> wall);

/// What `utc_text` wrote. Empty: it is something else.
std::optional<std::chrono::sys_time<std::chrono::milliseconds>> utc_time(const std::string& text);

/// The current moment on this machine.
Moment now();

/// Says what moment it is; `now`, but for tests.
using Clock = std::function<Moment()>;

}  // namespace spark
