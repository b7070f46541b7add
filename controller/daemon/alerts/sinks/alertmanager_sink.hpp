#pragma once
// AlertmanagerSink: reports the firing alerts to one Alertmanager, again and again, by its API
// version 2. It sends what the AlertStore has, so it needs no queue, and an Alertmanager that was
// away gets all of it.

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/http_url.hpp"
#include "daemon/alerts/alert_store.hpp"
#include "daemon/alerts/sinks/alert_formats.hpp"
#include "daemon/alerts/sinks/http_client.hpp"
#include "daemon/alerts/sinks/sink.hpp"
#include "daemon/alerts/sinks/sink_health.hpp"
#include "daemon/alerts/sinks/sink_order.hpp"

namespace spark::daemon {

class AlertmanagerSink : public Sink, public std::enable_shared_from_this<AlertmanagerSink> {
 public:
  /// `url`: the base, to which /api/v2/alerts is added.
  AlertmanagerSink(boost::asio::io_context& context, const std::string& url, SinkEvents events,
                   AlertmanagerTimes times = {});

  /// Sets what is reported from now on. Sends news at once, unless the last try failed.
  void update(const AlertStore& store) override;
  [[nodiscard]] const SinkState& state() const override { return health_.state(); }

 private:
  struct Told {
    Alert alert;
    std::optional<Moment> resolved;
  };
  /// One end of one alert, by its fingerprint.
  using End = std::pair<std::string, WallTime>;

  void arm(std::chrono::milliseconds wait);
  void send();
  void sent(const Result<HttpAnswer>& answer, const std::set<End>& ends);

  boost::asio::io_context& context_;
  boost::asio::steady_timer timer_;
  HttpUrl url_;
  SinkHealth health_;
  AlertmanagerTimes times_;
  std::map<std::string, Told> told_;  ///< by fingerprint
  std::set<End> acknowledged_;
  bool in_flight_ = false;
  bool news_ = false;  ///< since the request that is in flight
};

/// One for each Alertmanager of agent.yaml.
Sinks make_alertmanager_sinks(const SinkOrder& order);

}  // namespace spark::daemon
