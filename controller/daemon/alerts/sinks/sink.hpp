#pragma once
// Sink: one receiver of alerts. Adding a sort of receiver is one file with its class, and one row
// in alert_sinks.cpp.

#include <nlohmann/json.hpp>

#include "daemon/alerts/alert_store.hpp"
#include "daemon/common/node_state_names.hpp"

namespace spark::daemon {

/// All calls come from the one thread that runs the loop, and none of them waits.
class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  virtual ~Sink() = default;

  /// An alert began or ended. For a sink that reports each of these once.
  virtual void deliver(const Transition& /*transition*/) {}
  /// The alerts that fire now. For a sink that reports all of them again and again.
  virtual void update(const AlertStore& /*store*/) {}

  /// Forgets what it has yet to deliver of alerts that are muted now.
  virtual void withhold(const IsMuted& /*is_muted*/) {}

  /// How the deliveries went.
  [[nodiscard]] virtual const SinkState& state() const = 0;
  /// False: the sink cannot fail, so its state is of no interest.
  [[nodiscard]] virtual bool is_monitored() const { return true; }

  /// What the receiver has not taken yet, for a file; restore() reads it at the start.
  [[nodiscard]] virtual nlohmann::json undelivered() const { return nlohmann::json::array(); }
  virtual void restore(const nlohmann::json& /*json*/) {}
};

}  // namespace spark::daemon
