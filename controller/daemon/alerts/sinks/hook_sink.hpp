#pragma once
// HookSink: runs each program of a directory for each transition, one after the other.

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include <sys/types.h>

#include <boost/asio/io_context.hpp>

#include "base/result.hpp"
#include "daemon/alerts/sinks/queued_sink.hpp"
#include "daemon/alerts/sinks/sink_order.hpp"

namespace spark::daemon {

class HookSink : public QueuedSink, public std::enable_shared_from_this<HookSink> {
 public:
  HookSink(boost::asio::io_context& context, std::string directory, SinkEvents events,
           std::chrono::milliseconds deadline = std::chrono::seconds(30), uid_t owner = 0);

 private:
  void send() override;
  void run_next();
  void ended(const std::string& path, const Result<int>& result);
  void end();

  boost::asio::io_context& context_;
  std::string directory_;
  std::chrono::milliseconds deadline_;
  uid_t owner_;
  std::deque<std::string> left_;  ///< programs still to run for the queue's front
  std::string input_;
  std::string failure_;
  std::uint64_t dropped_before_ = 0;
  bool has_hooks_ = false;
};

/// One for the directory of agent.yaml.
Sinks make_hook_sinks(const SinkOrder& order);

}  // namespace spark::daemon
