#pragma once
// JournalSink: one journal entry a transition, with MESSAGE_ID and SPARK_* fields, by journald's
// native protocol (https://systemd.io/JOURNAL_NATIVE_PROTOCOL/).

#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/unique_fd.hpp"
#include "daemon/alerts/sinks/sink.hpp"
#include "daemon/alerts/sinks/sink_health.hpp"
#include "daemon/alerts/sinks/sink_order.hpp"
#include "daemon/alerts/sinks/transition_queue.hpp"

namespace spark::daemon {

/// One datagram of the native protocol, bounded: far below what a socket takes, so that no memfd is
/// needed. Pure.
std::string journal_entry(const Transition& transition);

/// As syslog(3) has them: critical, warning, or notice for an end.
int priority_of(const Transition& transition);

class JournalSink : public Sink, public std::enable_shared_from_this<JournalSink> {
 public:
  JournalSink(boost::asio::io_context& context, std::string socket, SinkEvents events);

  /// Never waits: a journald that is full or away is tried again later.
  void deliver(const Transition& transition) override;
  void withhold(const IsMuted& is_muted) override { queue_.withhold(is_muted); }
  [[nodiscard]] const SinkState& state() const override { return health_.state(); }

  /// What journald has not taken yet, for a file; restore() reads it at the start.
  [[nodiscard]] nlohmann::json undelivered() const override;
  void restore(const nlohmann::json& json) override;

 private:
  void send();
  Result<> send_one(const Transition& transition);

  boost::asio::steady_timer timer_;
  std::string path_;
  UniqueFd socket_;
  SinkHealth health_;
  TransitionQueue queue_;
  bool waiting_ = false;
};

/// The journal; where there is none, the daemon's own log.
Sinks make_journal_sinks(const SinkOrder& order);

}  // namespace spark::daemon
