#pragma once
// Notify: reports to systemd how this service is, by the protocol of sd_notify(3): lines of
// "NAME=value" in one datagram.

#include <chrono>
#include <optional>
#include <string_view>

#include "base/unique_fd.hpp"

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

}  // namespace spark::daemon
