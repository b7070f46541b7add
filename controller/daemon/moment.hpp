#pragma once
// Moment: now, as people write it and as it can be counted on.

#include <chrono>

namespace spark {

/// Two clocks of one instant. What has to be measured is measured with `boot`: the wall clock jumps
/// when somebody sets it, and stands still in no suspend.
struct Moment {
  std::chrono::sys_time<std::chrono::milliseconds> wall{};
  std::chrono::milliseconds
      boot{};  ///< since the machine booted, suspend included (CLOCK_BOOTTIME)
};

/// Of this machine.
Moment now();

}  // namespace spark
