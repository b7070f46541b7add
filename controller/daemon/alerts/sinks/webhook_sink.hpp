#pragma once
// WebhookSink: one POST a transition, in order, with Alertmanager's webhook body version 4; tried
// again until it is taken.

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/http_url.hpp"
#include "daemon/alerts/sinks/http_client.hpp"
#include "daemon/alerts/sinks/sink.hpp"
#include "daemon/alerts/sinks/sink_health.hpp"
#include "daemon/alerts/sinks/sink_order.hpp"
#include "daemon/alerts/sinks/transition_queue.hpp"

namespace spark::daemon {

class WebhookSink : public Sink, public std::enable_shared_from_this<WebhookSink> {
 public:
  /// `authorization_file`: see `read_authorization`; empty: none.
  WebhookSink(boost::asio::io_context& context, const std::string& url,
              std::string authorization_file, SinkEvents events,
              std::chrono::milliseconds deadline = std::chrono::seconds(10));

  void deliver(const Transition& transition) override;
  void withhold(const IsMuted& is_muted) override { queue_.withhold(is_muted); }
  [[nodiscard]] const SinkState& state() const override { return health_.state(); }

  /// What the receiver has not taken yet, for a file; restore() reads it at the start.
  [[nodiscard]] nlohmann::json undelivered() const override;
  void restore(const nlohmann::json& json) override;

 private:
  void send();
  void answered(const Result<HttpAnswer>& answer, std::uint64_t dropped_before);
  void try_again();

  boost::asio::io_context& context_;
  boost::asio::steady_timer timer_;
  HttpUrl url_;
  std::string authorization_file_;
  SinkHealth health_;
  std::chrono::milliseconds deadline_;
  TransitionQueue queue_;
  bool busy_ = false;  ///< a request is in flight, or the time until the next runs
};

/// The value of the Authorization header: the only line of a file that is root's (or this
/// process's) and that nobody else can read, as a credential of systemd is. Errors: kNotFound,
/// kPermission, kInvalid.
Result<std::string> read_authorization(const std::string& path);

/// One for each webhook of agent.yaml.
Sinks make_webhook_sinks(const SinkOrder& order);

}  // namespace spark::daemon
