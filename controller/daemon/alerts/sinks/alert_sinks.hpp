#pragma once
// AlertSinks: whom alerts are told, as agent.yaml names them, and the file that both the book and
// they are kept in. None of them makes the caller wait.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "base/result.hpp"
#include "config/agent.hpp"
#include "daemon/alerts/alert_store.hpp"
#include "daemon/alerts/sinks/alertmanager_sink.hpp"
#include "daemon/alerts/sinks/hook_sink.hpp"
#include "daemon/alerts/sinks/journal_sink.hpp"
#include "daemon/alerts/sinks/webhook_sink.hpp"

namespace spark {

struct AlertSinksOptions {
  /// Absent, as in a container without systemd: alerts are lines of the daemon's own log.
  std::string journal_socket = JournalSink::kSocket;
  AlertmanagerTimes alertmanager;
};

/// All calls come from the one thread that runs the context.
class AlertSinks {
 public:
  /// `events.changed` comes from the context, never from inside a call, and once for many changes:
  /// then NodeState::sinks is to be renewed and the alerts are to be kept on disk.
  AlertSinks(boost::asio::io_context& context, const AlertsSpec& spec, SinkEvents events,
             const AlertSinksOptions& options = {});

  /// After each update of the book, with what it gave.
  void tell(const std::vector<Transition>& transitions, const AlertStore& book);

  /// For NodeState::sinks.
  [[nodiscard]] std::vector<SinkState> states() const;

  /// What each has yet to tell, by its name; and back, at the start. One that agent.yaml names no
  /// longer is left out.
  [[nodiscard]] nlohmann::json undelivered() const;
  void restore(const nlohmann::json& json);

 private:
  std::shared_ptr<JournalSink> journal_;  ///< null: there is none
  DaemonLog line_;                        ///< takes its place; empty: there is a journal
  std::vector<std::shared_ptr<AlertmanagerSink>> alertmanagers_;
  std::vector<std::shared_ptr<WebhookSink>> webhooks_;
  std::shared_ptr<HookSink> hooks_;
};

/// The text of alerts.json, below /var/lib/spark-reconcile/NODE/.
std::string alerts_file(const AlertStore& book, const AlertSinks& sinks, std::string_view boot_id);

/// The book of such a text; the sinks get theirs back, and Alertmanager what fires.
/// Errors: kInvalid: then begin with an empty book.
Result<AlertStore> read_alerts_file(std::string_view text, std::string_view boot_id,
                                    const Moment& now, AlertSinks& sinks);

}  // namespace spark
