#pragma once
// SinkOrder: what the sinks of one sort are made from.

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "config/agent.hpp"
#include "daemon/alerts/sinks/sink.hpp"
#include "daemon/alerts/sinks/sink_health.hpp"

namespace spark::daemon {

struct AlertmanagerTimes {
  std::chrono::milliseconds again{60'000};     ///< between two reports of what fires
  std::chrono::milliseconds lasts{300'000};    ///< an alert not reported again is over by then
  std::chrono::milliseconds deadline{10'000};  ///< of one request
};

struct AlertSinksOptions {
  /// Before each path that agent.yaml names; empty: none.
  std::string root;
  /// Where it is absent, as in a container without systemd, alerts are lines of the daemon's own
  /// log.
  std::string journal_socket = "/run/systemd/journal/socket";
  AlertmanagerTimes alertmanager;
};

struct SinkOrder {
  boost::asio::io_context& context;
  const config::AlertsSpec& spec;
  const SinkEvents& events;
  const AlertSinksOptions& options;
};

using Sinks = std::vector<std::shared_ptr<Sink>>;

}  // namespace spark::daemon
