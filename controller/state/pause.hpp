#pragma once
// The pause on disk: until when nothing is corrected, who said so and why. It outlives a reboot and
// ends by itself.

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "base/fields.hpp"
#include "base/moment.hpp"
#include "host/host.hpp"
#include "protocol/paths.hpp"

namespace spark::state {

/// A difference that is to last longer belongs in the cluster file.
inline constexpr std::chrono::hours kLongestPause{7 * 24};
/// In characters: the reason is shown wherever the state is.
inline constexpr std::size_t kLongestReason = 200;

/// Nothing is corrected until `until`, or until somebody runs `resume`.
struct Paused {
  Moment since;
  Moment until;
  std::string reason;
  std::string by;         ///< user name, as far as it is known
  std::string change_id;  ///< `--change-id`; empty: none was given
};

template <EitherConst<Paused> T, class Visit>
void each_field(T& paused, Visit visit) {
  visit("since", paused.since);
  visit("until", paused.until);
  visit("reason", paused.reason);
  visit("by", paused.by);
  visit("change_id", unless_empty(paused.change_id));
}

/// Empty: there is no pause, or it is over. A damaged file counts as no pause: it must never stop
/// corrections. The boot clock decides when the pause ends; after a reboot the wall clock does.
/// However the wall clock was set, a pause never lasts longer from now on than its whole length.
std::optional<Paused> read_pause(host::Host& host, const Moment& now);

/// Errors: those of the files port.
Result<> write_pause(host::Host& host, const Paused& pause);
Result<> remove_pause(host::Files& files);

}  // namespace spark::state
