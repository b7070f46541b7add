#pragma once
// SinkHealth: how the tries of one sink went, and how long it waits before the next.

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/moment.hpp"
#include "daemon/common/daemon_log.hpp"
#include "daemon/common/node_state_names.hpp"

namespace spark::daemon {

/// What a sink reports to the daemon.
struct SinkEvents {
  std::function<void(std::string_view)> log;  ///< one line for the daemon's own log
  /// Something was delivered or dropped, or a try failed: what is to be on disk and the sink's
  /// state have changed.
  std::function<void()> changed;
  /// Writes an alert as a line of that log, where there is no journal; may be empty.
  DaemonLog alert;
  Clock clock = now;
};

class SinkHealth {
 public:
  SinkHealth(std::string name, SinkEvents events);

  /// What moment it is.
  [[nodiscard]] Moment moment() const { return events_.clock(); }

  void delivered();
  void failed(std::string error);
  void dropped(std::string_view why);
  /// One line for the log, with the sink's name.
  void log(std::string_view text) const;

  /// The time before the next try: none, or 1 s after a failure, doubled by each, at most a minute.
  [[nodiscard]] std::chrono::milliseconds wait() const;
  [[nodiscard]] const SinkState& state() const { return state_; }
  [[nodiscard]] const std::string& name() const { return state_.name; }

 private:
  SinkState state_;
  SinkEvents events_;
};

}  // namespace spark::daemon
