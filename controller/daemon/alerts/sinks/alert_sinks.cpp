#include "daemon/alerts/sinks/alert_sinks.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <boost/asio/post.hpp>
#include <nlohmann/json.hpp>

#include "daemon/alerts/sinks/alert_formats.hpp"
#include "daemon/alerts/sinks/hook_sink.hpp"
#include "daemon/alerts/sinks/webhook_sink.hpp"

namespace spark::daemon {
namespace {

constexpr const char* kQueues = "queues";

/// Many calls become one, from the context.
std::function<void()> later_and_once(boost::asio::io_context& context,
                                     std::function<void()> changed) {
  return [&context, changed = std::move(changed), pending = std::make_shared<bool>(false)] {
    if (std::exchange(*pending, true)) return;
    boost::asio::post(context, [changed, pending] {
      *pending = false;
      changed();
    });
  };
}

/// What each sort of sink is made from.
struct SinkOrder {
  boost::asio::io_context& context;
  const config::AlertsSpec& spec;
  const SinkEvents& events;
  const AlertSinksOptions& options;
};
using Sinks = std::vector<std::shared_ptr<Sink>>;

/// Where there is no journal, as in a container without systemd, alerts are lines of the daemon's
/// own log.
class LogSink : public Sink {
 public:
  explicit LogSink(DaemonLog log) : log_(std::move(log)) {}

  void deliver(const Transition& transition) override {
    if (log_) log_(priority_of(transition), message_of(transition));
  }
  [[nodiscard]] const SinkState& state() const override { return state_; }
  [[nodiscard]] bool is_monitored() const override { return false; }

 private:
  DaemonLog log_;
  SinkState state_;
};

Sinks journal_or_log(const SinkOrder& order) {
  std::error_code ignored;  // what cannot be looked at is not there
  if (!std::filesystem::exists(order.options.journal_socket, ignored)) {
    return {std::make_shared<LogSink>(order.events.alert)};
  }
  return {std::make_shared<JournalSink>(order.context, order.options.journal_socket, order.events)};
}

Sinks alertmanagers(const SinkOrder& order) {
  Sinks sinks;
  for (const auto& url : order.spec.alertmanagers) {
    sinks.push_back(std::make_shared<AlertmanagerSink>(order.context, url.value, order.events,
                                                       order.options.alertmanager));
  }
  return sinks;
}

Sinks webhooks(const SinkOrder& order) {
  Sinks sinks;
  for (const auto& webhook : order.spec.webhooks) {
    const auto& secret = webhook.authorization_file;
    sinks.push_back(std::make_shared<WebhookSink>(
        order.context, webhook.url.value, secret ? secret->value : std::string(), order.events));
  }
  return sinks;
}

Sinks hooks(const SinkOrder& order) {
  return {std::make_shared<HookSink>(order.context, order.spec.hooks.value, order.events)};
}

/// Every sort of sink that agent.yaml can name.
constexpr std::array kSorts{journal_or_log, alertmanagers, webhooks, hooks};

}  // namespace

AlertSinks::AlertSinks(boost::asio::io_context& context, const config::AlertsSpec& spec,
                       SinkEvents events, const AlertSinksOptions& options) {
  events.changed = later_and_once(context, std::move(events.changed));
  const SinkOrder order{context, spec, events, options};
  for (const auto make : kSorts) {
    std::ranges::move(make(order), std::back_inserter(sinks_));
  }
}

void AlertSinks::deliver(const std::vector<Transition>& transitions, const AlertStore& store) {
  for (const auto& sink : sinks_) {
    for (const auto& transition : transitions) sink->deliver(transition);
    sink->update(store);
  }
}

std::vector<SinkState> AlertSinks::states() const {
  std::vector<SinkState> states;
  for (const auto& sink : sinks_) {
    if (sink->is_monitored()) states.push_back(sink->state());
  }
  return states;
}

nlohmann::json AlertSinks::undelivered() const {
  auto json = nlohmann::json::object();
  for (const auto& sink : sinks_) {
    if (auto list = sink->undelivered(); !list.empty()) {
      json[sink->state().name] = std::move(list);
    }
  }
  return json;
}

void AlertSinks::restore(const nlohmann::json& json) {
  if (!json.is_object()) return;
  for (const auto& sink : sinks_) {
    if (const auto list = json.find(sink->state().name); list != json.end()) {
      sink->restore(*list);
    }
  }
}

std::string alerts_file(const AlertStore& store, const AlertSinks& sinks,
                        std::string_view boot_id) {
  auto json = store.to_json(boot_id);
  json[kQueues] = sinks.undelivered();
  return dump(json) + "\n";
}

Result<AlertStore> read_alerts_file(std::string_view text, std::string_view boot_id,
                                    const Moment& now, AlertSinks& sinks) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return fail(ErrorCode::kInvalid, "read the alerts: not JSON");
  auto book = AlertStore::from_json(json, boot_id, now);
  if (!book) return book;
  if (const auto queues = json.find(kQueues); queues != json.end()) sinks.restore(*queues);
  sinks.deliver({}, *book);
  return book;
}

}  // namespace spark::daemon
