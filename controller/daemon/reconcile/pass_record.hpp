#pragma once
// PassRecord: what passes found, as the node's state has it until the next one.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/moment.hpp"
#include "daemon/common/node_state_names.hpp"
#include "daemon/reconcile/machine.hpp"
#include "daemon/reconcile/pass.hpp"
#include "host/host.hpp"

namespace spark::daemon {

class PassRecord {
 public:
  /// Of the last pass that held the file in force.
  struct Held {
    std::size_t in_sync = 0;
    std::optional<std::uint64_t> drift_alert_at = kRecurringTimes;
    std::vector<SkippedRecord> skipped;
    std::vector<std::string> refusals;
    std::vector<plan::RouteState> routes;
    cluster::Shape shape;
    protocol::PeersOrder peers_order;
  };
  /// Of the last pass.
  struct Ended {
    Found found;
    std::vector<Drift> drifts;
    std::string error;
    Moment at;
    std::chrono::nanoseconds took{};
  };

  PassRecord(std::string_view version, Clock clock)
      : version_(version), clock_(std::move(clock)), started_(clock_()) {}

  [[nodiscard]] const std::string& version() const { return version_; }
  [[nodiscard]] const Moment& started() const { return started_; }
  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] const Held& held() const { return held_; }
  [[nodiscard]] const Ended& last() const { return last_; }

  /// A whole pass begins.
  Pass begin(const PassOrder& order);
  /// Something is looked at between two passes.
  [[nodiscard]] Pass between() const { return {.start = clock_(), .found = last_.found}; }
  /// A whole pass held the file with this snapshot.
  void note_held(Snapshot& snapshot, host::Host& host, Pass& pass);
  /// A whole pass ends.
  void end(const Pass& pass, std::vector<Drift> drifts);
  void note_error(const std::string& error) { last_.error = error; }

 private:
  std::string version_;
  Clock clock_;
  Moment started_;
  Counters counters_;
  Held held_;
  Ended last_;
};

}  // namespace spark::daemon
