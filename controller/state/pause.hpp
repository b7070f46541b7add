#pragma once
// The pause on disk: until when nothing is corrected, who said so and why. It outlives a reboot and
// ends by itself.

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "base/moment.hpp"
#include "host/host.hpp"
#include "protocol/paths.hpp"

namespace spark {

/// What is to stay otherwise for longer belongs into the file.
inline constexpr std::chrono::hours kLongestPause{7 * 24};
/// Characters; it is shown wherever the state is.
inline constexpr std::size_t kLongestReason = 200;

/// Nothing is corrected until then, or until `resume`.
struct Paused {
  Moment since;
  Moment until;
  std::string reason;
  std::string by;  ///< user name, as far as it is known
};

/// Empty: there is none, or it is over. One that cannot be understood is none: what a pause keeps
/// from being mended must never depend on a damaged file. In the boot in which it began the boot
/// clock decides when it is over; after a reboot the wall clock does. It never lasts longer from
/// now on than it was meant to last in all, however the wall clock was set.
std::optional<Paused> read_pause(Host& host, const Moment& now);

/// Errors: those of the files port.
Result<> write_pause(Host& host, const Paused& pause);
Result<> remove_pause(Files& files);

}  // namespace spark
