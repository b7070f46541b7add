#pragma once
// ReadyTarget: spark-ready.target follows the verdict, so that units can wait for this node to be
// ready, and be stopped when it is no more.

#include <chrono>
#include <optional>

#include "base/moment.hpp"
#include "gate/gate.hpp"

namespace spark {

class ReadyTarget {
 public:
  /// Starts or stops the target where the verdict asks for it. It is stopped only after ten seconds
  /// without readiness: what hangs on it is a job of hours. Gives when to follow again, if that is
  /// to come. Whoever waits for a target that was not reached so far goes on waiting. Where systemd
  /// or the target is missing nothing happens.
  std::optional<std::chrono::milliseconds> follow(Host& host, Verdict verdict, const Moment& now);

 private:
  std::optional<bool> reached_;  ///< as far as it is known from here
  std::optional<Moment> not_ready_since_;
};

}  // namespace spark
