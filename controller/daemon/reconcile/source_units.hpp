#pragma once
// SourceUnits: the timer that fetches and the path that has the result judged run while a
// repository is followed. systemd keeps the time, and nothing here opens a connection.

#include <chrono>
#include <optional>

#include "base/moment.hpp"
#include "base/result.hpp"
#include "config/source.hpp"
#include "host/host.hpp"

namespace spark::daemon {

class SourceUnits {
 public:
  /// Starts both units for `source`, or stops them where there is none. Asks systemd only when that
  /// has changed; after an error once a minute. Errors: those of the bus and of the files port.
  Result<> follow(host::Host& host, const std::optional<config::SourceSpec>& source,
                  const Moment& now);

 private:
  static Result<> start(host::Host& host, std::chrono::milliseconds every);
  static Result<> stop(host::Host& host);

  /// How often is fetched; empty: the units do not run.
  std::optional<std::chrono::milliseconds> every_;
  std::optional<std::chrono::milliseconds> failed_at_;  ///< boot clock
  Result<> last_;
};

}  // namespace spark::daemon
