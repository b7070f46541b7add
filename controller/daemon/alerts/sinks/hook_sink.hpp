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
#include "daemon/alerts/sinks/sink_health.hpp"
#include "daemon/alerts/sinks/transition_queue.hpp"

namespace spark {

class HookSink : public std::enable_shared_from_this<HookSink> {
 public:
  HookSink(boost::asio::io_context& context, std::string directory, SinkEvents events,
           std::chrono::milliseconds deadline = std::chrono::seconds(30), uid_t owner = 0);

  void tell(const Transition& transition);
  [[nodiscard]] const SinkState& state() const { return health_.state(); }

  /// What was not run to its end yet, for a file; and from one, at the start.
  [[nodiscard]] nlohmann::json undelivered() const;
  void restore(const nlohmann::json& json);

 private:
  void begin();
  void run_next();
  void ended(const std::string& path, const Result<int>& result);
  void end();

  boost::asio::io_context& context_;
  std::string directory_;
  SinkHealth health_;
  std::chrono::milliseconds deadline_;
  uid_t owner_;
  TransitionQueue queue_;
  std::deque<std::string> left_;  ///< of the front's programs
  std::string input_;
  std::string failure_;
  std::uint64_t dropped_before_ = 0;
  bool has_hooks_ = false;
  bool busy_ = false;
};

}  // namespace spark
