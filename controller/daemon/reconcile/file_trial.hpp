#pragma once
// How a file on trial does: what the gate shows now, beside what it showed with the file before. A
// fact of this node that held and fails now makes it worse. Facts that reach beyond this node only
// leave it open: the other end may be late.

#include <chrono>
#include <optional>
#include <string>

#include "base/moment.hpp"
#include "daemon/reconcile/active_config.hpp"
#include "daemon/reconcile/pass.hpp"
#include "gate/common/facts.hpp"
#include "host/files.hpp"
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

class FileTrial {
 public:
  /// Nothing says now how the file does: the time begins again, one way and the other.
  void rest();
  /// What the gate shows ends the trial, or lets it go on. `file` may have none: then it learns how
  /// the facts stand without one.
  void judge(const gate::GateReport& report, ActiveConfig& file, host::Files& files, Pass& pass);
  /// True: the trend has lasted for `settle`.
  bool has_lasted(state::Trend trend, std::chrono::milliseconds settle, const Moment& now);
  /// What keeps the trial from ending; empty: time alone.
  [[nodiscard]] const std::string& waits() const { return waits_; }

 private:
  state::Trend trend_ = state::Trend::kOpen;
  std::optional<std::chrono::milliseconds> since_;  ///< boot clock
  std::string waits_;
};

}  // namespace spark::daemon
