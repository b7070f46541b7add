#pragma once
// Notifier: tells the receivers of alerts how this node is. All of it runs on the loop's thread,
// and none of it blocks.

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "base/moment.hpp"
#include "config/agent.hpp"
#include "daemon/alerts/alert_mutes.hpp"
#include "daemon/alerts/alert_store.hpp"
#include "daemon/alerts/sinks/alert_sinks.hpp"
#include "daemon/common/daemon_log.hpp"
#include "daemon/common/node_state_names.hpp"
#include "daemon/news.hpp"

namespace spark::daemon {

inline constexpr const char* kAlertsFile = "/var/lib/spark-reconcile/alerts.json";

struct NotifierOptions {
  config::Agent agent;
  std::string root;    ///< before each path that agent.yaml names; empty: none
  std::string alerts;  ///< the text of kAlertsFile; empty: there is none
  NodeState state;     ///< with the mutes that are asked for: else what is muted would be told
  std::string boot_id;
  DaemonLog log;
  Clock clock = now;
};

class Notifier {
 public:
  /// The loop calls `changed` when the alerts are to be written to disk, or the state of the
  /// receivers has changed.
  Notifier(boost::asio::io_context& loop, const NotifierOptions& options,
           std::function<void()> changed);

  /// Sets how the node is from now on. Gives what became of mutes, and what they kept from being
  /// told.
  std::vector<News> update(NodeState state);
  [[nodiscard]] const NodeState& state() const { return state_; }
  /// When `update` is to be called even if nothing happens, by the boot clock; empty: never.
  [[nodiscard]] std::optional<std::chrono::milliseconds> due() const;
  [[nodiscard]] std::vector<SinkState> sinks() const { return sinks_.states(); }
  [[nodiscard]] const AlertMutes& mutes() const { return mutes_; }
  /// What kAlertsFile is to hold.
  [[nodiscard]] std::string alerts() const;

 private:
  void restore(const std::string& text);
  [[nodiscard]] IsMuted is_muted() const;

  std::string boot_id_;
  DaemonLog log_;
  Clock clock_;
  NodeState state_;
  AlertStore store_;
  AlertMutes mutes_;
  std::vector<MuteChange> changes_;  ///< not reported yet
  AlertSinks sinks_;
};

}  // namespace spark::daemon
