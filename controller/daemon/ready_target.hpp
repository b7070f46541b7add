#pragma once
// ReadyTarget: makes spark-ready.target follow the verdict, so that units can wait for this node to
// be ready, and stop when it no longer is.

#include <chrono>
#include <optional>

#include "base/moment.hpp"
#include "gate/gate.hpp"

namespace spark::daemon {

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
