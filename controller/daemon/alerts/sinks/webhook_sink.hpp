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
#include "daemon/alerts/sinks/queued_sink.hpp"
#include "daemon/alerts/sinks/sink_order.hpp"

namespace spark::daemon {

class WebhookSink : public QueuedSink, public std::enable_shared_from_this<WebhookSink> {
 public:
  /// `authorization_file`: see `read_authorization`; empty: none.
  WebhookSink(boost::asio::io_context& context, const std::string& url,
              std::string authorization_file, SinkEvents events,
              std::chrono::milliseconds deadline = std::chrono::seconds(10));

 private:
  void send() override;
  void answered(const Result<HttpAnswer>& answer, std::uint64_t dropped_before);
  void try_again();

  boost::asio::io_context& context_;
  boost::asio::steady_timer timer_;
  HttpUrl url_;
  std::string authorization_file_;
  std::chrono::milliseconds deadline_;
};

/// The value of the Authorization header: the only line of a file that is root's (or this
/// process's) and that nobody else can read, as a credential of systemd is. Errors: kNotFound,
/// kPermission, kInvalid.
Result<std::string> read_authorization(const std::string& path);

/// One for each webhook of agent.yaml.
Sinks make_webhook_sinks(const SinkOrder& order);

}  // namespace spark::daemon
