#pragma once
// How a file on trial does: what the gate shows now, beside what it showed with the file before. A
// fact of this node that held and fails now makes it worse. Facts that reach beyond this node only
// leave it open: the other end may be late.

#include <chrono>
#include <optional>
#include <string>

#include "base/moment.hpp"
#include "gate/common/facts.hpp"
#include "state/in_force.hpp"

namespace spark::daemon {

/// What is kept of a look. One file on all nodes is no fact of it: while a change goes from node to
/// node the files differ, and the next node may wait for this trial.
state::FactsSeen facts_seen(const gate::GateReport& report);

struct Comparison {
  state::Trend trend = state::Trend::kOpen;
  std::string why;  ///< the fact that makes it worse, or open; empty: none does
};

Comparison compare(const state::FactsSeen& before, const gate::GateReport& now);

/// For how long a trial has had its trend.
class TrialClock {
 public:
  /// The time begins again, one way and the other.
  void rest() { since_.reset(); }
  /// True: it has lasted for `settle`.
  bool has_lasted(state::Trend trend, std::chrono::milliseconds settle, const Moment& now);

 private:
  state::Trend trend_ = state::Trend::kOpen;
  std::optional<std::chrono::milliseconds> since_;  ///< boot clock
};

}  // namespace spark::daemon
