#pragma once
// The mutes on disk: of which alerts nobody is told, until when, who said so and why. They outlive
// a reboot and end by themselves. The verb `mute` alone writes the file: the daemon only reads it,
// and keeps beside its alerts which of the mutes have ended early.

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "base/fields.hpp"
#include "base/moment.hpp"
#include "host/host.hpp"

namespace spark::state {

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
/// as a pause does (bounded_time.hpp). Errors: those of the files port; kInvalid: the file is
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
