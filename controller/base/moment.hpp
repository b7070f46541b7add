#pragma once
// Moment: now, as people write it and as it can be counted on.

#include <chrono>
#include <string>

namespace spark {

/// Two clocks of one instant. What has to be measured is measured with `boot`: the wall clock jumps
/// when somebody sets it, and stands still in no suspend.
struct Moment {
  std::chrono::sys_time<std::chrono::milliseconds> wall;
  std::chrono::milliseconds
      boot{};  ///< since the machine booted, suspend included (CLOCK_BOOTTIME)
};

inline Moment later(const Moment& moment, std::chrono::milliseconds by) {
  return {moment.wall + by, moment.boot + by};
}

/// "2026-01-31T09:30:00Z" (RFC 3339).
std::string utc_text(std::chrono::sys_time<std::chrono::milliseconds> wall);

/// Of this machine.
Moment now();

}  // namespace spark
