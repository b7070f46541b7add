#pragma once
// AlertSinks: the receivers of alerts that agent.yaml names, and the file that keeps the AlertStore
// and what they have yet to get. None of them makes the caller wait.

#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <nlohmann/json.hpp>

#include "base/result.hpp"
#include "config/agent.hpp"
#include "daemon/alerts/alert_mutes.hpp"
#include "daemon/alerts/alert_store.hpp"
#include "daemon/alerts/sinks/sink_order.hpp"

namespace spark::daemon {

/// All calls come from the one thread that runs the context.
class AlertSinks {
 public:
  /// The context calls `events.changed`, never a call of this class, and once for many changes. The
  /// caller then updates NodeState::sinks and writes the alerts to disk.
  AlertSinks(boost::asio::io_context& context, const config::AlertsSpec& spec, SinkEvents events,
             const AlertSinksOptions& options = {});

  /// To be called after each update of the store, with its transitions.
  void deliver(const std::vector<Transition>& transitions, const AlertStore& store);

  /// Forgets what is not delivered yet of alerts that are muted now.
  void withhold(const IsMuted& is_muted);

  /// For NodeState::sinks.
  [[nodiscard]] std::vector<SinkState> states() const;

  /// What each sink has yet to deliver, by its name. restore() reads it at the start, without sinks
  /// that agent.yaml no longer names, and what is muted.
  [[nodiscard]] nlohmann::json undelivered() const;
  void restore(const nlohmann::json& json, const IsMuted& is_muted);

 private:
  Sinks sinks_;
};

/// The text of /var/lib/spark-reconcile/alerts.json.
std::string alerts_file(const AlertStore& store, const AlertSinks& sinks, const AlertMutes& mutes,
                        std::string_view boot_id);

/// What such a text keeps, before any sink has seen it.
struct KeptAlerts {
  AlertStore store;
  AlertMutes mutes;
  nlohmann::json undelivered;  ///< for AlertSinks::restore
};

/// Errors: kInvalid; the caller then starts with empty ones.
Result<KeptAlerts> read_alerts_file(std::string_view text, std::string_view boot_id,
                                    const Moment& now);

}  // namespace spark::daemon
