#pragma once
// JournalSink: one journal entry a transition, with MESSAGE_ID and SPARK_* fields, by journald's
// native protocol (https://systemd.io/JOURNAL_NATIVE_PROTOCOL/).

#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/unique_fd.hpp"
#include "daemon/alerts/sinks/queued_sink.hpp"
#include "daemon/alerts/sinks/sink_order.hpp"

namespace spark::daemon {

/// One datagram of the native protocol, bounded: far below what a socket takes, so that no memfd is
/// needed. Pure.
std::string journal_entry(const Transition& transition);

/// As syslog(3) has them: critical, warning, or notice for an end.
int priority_of(const Transition& transition);

class JournalSink : public QueuedSink, public std::enable_shared_from_this<JournalSink> {
 public:
  JournalSink(boost::asio::io_context& context, std::string socket, SinkEvents events);

 private:
  /// Never waits: a journald that is full or away is tried again later.
  void send() override;
  Result<> send_one(const Transition& transition);

  boost::asio::steady_timer timer_;
  std::string path_;
  UniqueFd socket_;
};

/// The journal; where there is none, the daemon's own log.
Sinks make_journal_sinks(const SinkOrder& order);

}  // namespace spark::daemon
