#pragma once
// The pause on disk: until when nothing is corrected, who said so and why. It outlives a reboot and
// ends by itself.

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/fields.hpp"
#include "base/moment.hpp"
#include "host/host.hpp"
#include "protocol/paths.hpp"

namespace spark::state {

// BoundedTime: how the files of pauses and mutes hold a time that ends by itself, so that no clock
// prolongs it.

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

// The mutes on disk: of which alerts nobody is told, until when, who said so and why. They outlive
// a reboot and end by themselves. The verb `mute` alone writes the file: the daemon only reads it,
// and keeps beside its alerts which of the mutes have ended early.

/// What nobody should ever be told of belongs to the receiver.
inline constexpr std::chrono::hours kLongestMute{7 * 24};
inline constexpr std::size_t kMostMutes = 32;

struct Mute {
  std::string id;     ///< "SR-ALERT-003"
  std::string alert;  ///< its name: "SparkDrift"
  std::string node;   ///< of alerts about that node alone; empty: about any
  Moment since;
  Moment until;
  std::string reason;
  std::string by;  ///< user name, as far as it is known
  /// The wall clock when it was asked for, as the file has it: with the id and the node it says
  /// which mute this is.
  std::chrono::milliseconds asked{};
  std::string change_id;  ///< `--change-id`; empty: none was given
};

template <EitherConst<Mute> T, class Visit>
void each_field(T& mute, Visit visit) {
  visit("id", mute.id);
  visit("alert", mute.alert);
  visit("node", mute.node);
  visit("since", mute.since);
  visit("until", mute.until);
  visit("reason", mute.reason);
  visit("by", mute.by);
  visit("asked_ms", mute.asked);
  visit("change_id", unless_empty(mute.change_id));
}

/// Those that are not over, in the order in which they were asked for; at most kMostMutes. They end
/// as a pause does (bounded_time). Errors: those of the files port; kInvalid: the file is
/// damaged, and mutes nothing.
Result<std::vector<Mute>> read_mutes(host::Host& host, const Moment& now);

/// Adds it, in place of one of the same id and node. A damaged file is replaced.
/// Errors: those of the files port; kBusy: kMostMutes others last.
Result<> add_mute(host::Host& host, const Mute& mute, const Moment& now);

/// Ends the mutes of that id; `node`: those of that node alone, empty: all of them. Gives how many
/// there were. Errors: those of the files port.
Result<std::size_t> end_mutes(host::Host& host, const std::string& id, const std::string& node,
                              const Moment& now);

}  // namespace spark::state
