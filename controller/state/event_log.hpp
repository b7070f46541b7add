#pragma once
// EventLog: the last things that happened on this node, as the daemon keeps them across restarts
// and as the verb `events` shows them.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "base/result.hpp"
#include "host/files.hpp"

namespace spark::state {

/// Something that the daemon did or saw.
struct Event {
  std::uint64_t number = 0;  ///< 1, 2, …; of the log that has it
  std::string at;            ///< UTC, RFC 3339
  std::string what;      ///< "corrected", "contested", …: those of schema/output/events.schema.json
  std::string severity;  ///< "info", "notice", "warning" or "error"
  std::string text;      ///< one line, printable
  std::string change_id;  ///< `--change-id` of what caused it; empty: none is known
  std::string digest;     ///< of the file that came into force; empty: none did
  std::string cause;      ///< of a change: "drift", "link", …; empty: it is none
  std::string remedy;     ///< what to do about it; empty: nothing, or nothing is known

  bool operator==(const Event&) const = default;
};

/// The newest last; at most kMost.
class EventLog {
 public:
  static constexpr std::size_t kMost = 500;
  static constexpr std::size_t kLongestText = 400;  ///< code points

  /// Gives the event its number. The text is cut to kLongestText and made printable, and the oldest
  /// event makes room.
  void add(Event event);
  [[nodiscard]] const std::deque<Event>& events() const { return events_; }

  /// What a file of events holds, with its line feed.
  [[nodiscard]] std::string to_text() const;
  /// Errors: kInvalid: damaged, or of a version that writes another schema.
  static Result<EventLog> from_text(const std::string& text);

 private:
  std::deque<Event> events_;
};

/// The events of the daemon that runs, or that ran last: all may read the copy below /run, and root
/// the one that outlives a reboot. Empty: no daemon has run on this machine.
/// Errors: kInvalid, and those of the files port.
Result<EventLog> read_events(host::Files& files);

}  // namespace spark::state
