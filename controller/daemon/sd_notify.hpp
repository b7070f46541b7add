#pragma once
// Notify: reports to systemd how this service is, by the protocol of sd_notify(3): lines of
// "NAME=value" in one datagram.

#include <chrono>
#include <optional>
#include <string_view>

#include "base/moment.hpp"
#include "base/unique_fd.hpp"
#include "gate/gate.hpp"

namespace spark::daemon {

class Notify {
 public:
  /// Takes NOTIFY_SOCKET and WATCHDOG_USEC out of the environment, so that no child finds them.
  /// Without them, outside of systemd, send() does nothing.
  Notify();

  /// "READY=1\nSTATUS=in sync". A datagram that is lost is not repeated.
  void send(std::string_view lines) const;
  /// How often WATCHDOG=1 is wanted at least; empty: never.
  [[nodiscard]] std::optional<std::chrono::microseconds> watchdog() const { return watchdog_; }

 private:
  UniqueFd socket_;  ///< connected, or none
  std::optional<std::chrono::microseconds> watchdog_;
};

// ReadyTarget: makes spark-ready.target follow the verdict, so that units can wait for this node to
// be ready, and stop when it no longer is.

class ReadyTarget {
 public:
  /// Starts or stops the target where the verdict asks for it. Stops it only after 10 s without
  /// readiness: a unit that depends on it may be a job of hours. Returns the time until the next
  /// call; empty: none is needed. A unit that waits for a target that was never reached keeps
  /// waiting. Does nothing where systemd or the target is missing.
  std::optional<std::chrono::milliseconds> follow(host::Host& host, gate::Verdict verdict,
                                                  const Moment& now);

 private:
  std::optional<bool> reached_;  ///< as far as this process knows
  std::optional<Moment> not_ready_since_;
};

}  // namespace spark::daemon
