#pragma once
// QueuedSink: a sink that reports each transition once, in order.

#include <string>
#include <utility>

#include "daemon/alerts/sinks/sink.hpp"
#include "daemon/alerts/sinks/sink_health.hpp"
#include "daemon/alerts/sinks/transition_queue.hpp"

namespace spark::daemon {

class QueuedSink : public Sink {
 public:
  void deliver(const Transition& transition) override {
    if (concerns(transition.alert, health_.name())) return;
    if (!queue_.push(transition)) health_.dropped("too many are waiting, the oldest went");
    if (!busy_) send();
  }
  void withhold(const IsMuted& is_muted) override { queue_.withhold(is_muted); }
  [[nodiscard]] const SinkState& state() const override { return health_.state(); }
  [[nodiscard]] nlohmann::json undelivered() const override { return queue_.to_json(); }
  void restore(const nlohmann::json& json) override {
    queue_.restore(json);
    if (!busy_) send();
  }

 protected:
  QueuedSink(std::string name, SinkEvents events) : health_(std::move(name), std::move(events)) {}

  /// Begins with the front of the queue, where there is one.
  virtual void send() = 0;

  SinkHealth health_;
  TransitionQueue queue_;
  bool busy_ = false;  ///< a delivery is under way, or the time until the next try runs
};

}  // namespace spark::daemon
