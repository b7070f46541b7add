#include "daemon/alerts/sinks/alert_sinks.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <boost/asio/post.hpp>
#include <nlohmann/json.hpp>

#include "daemon/alerts/sinks/alert_formats.hpp"

namespace spark {
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

}  // namespace

AlertSinks::AlertSinks(boost::asio::io_context& context, const AlertsSpec& spec, SinkEvents events,
                       const AlertSinksOptions& options) {
  events.changed = later_and_once(context, std::move(events.changed));
  std::error_code ignored;  // what cannot be looked at is not there
  if (std::filesystem::exists(options.journal_socket, ignored)) {
    journal_ = std::make_shared<JournalSink>(context, options.journal_socket, events);
  } else {
    line_ = events.alert;
  }
  for (const auto& url : spec.alertmanagers) {
    alertmanagers_.push_back(
        std::make_shared<AlertmanagerSink>(context, url.value, events, options.alertmanager));
  }
  for (const auto& webhook : spec.webhooks) {
    const auto& secret = webhook.authorization_file;
    webhooks_.push_back(std::make_shared<WebhookSink>(
        context, webhook.url.value, secret ? secret->value : std::string(), events));
  }
  hooks_ = std::make_shared<HookSink>(context, spec.hooks.value, std::move(events));
}

void AlertSinks::tell(const std::vector<Transition>& transitions, const AlertStore& book) {
  for (const auto& transition : transitions) {
    if (journal_) journal_->tell(transition);
    if (line_) line_(priority_of(transition), message_of(transition));
    for (const auto& webhook : webhooks_) webhook->tell(transition);
    hooks_->tell(transition);
  }
  for (const auto& alertmanager : alertmanagers_) alertmanager->keep(book);
}

std::vector<SinkState> AlertSinks::states() const {
  std::vector<SinkState> states;
  if (journal_) states.push_back(journal_->state());
  for (const auto& sink : alertmanagers_) states.push_back(sink->state());
  for (const auto& sink : webhooks_) states.push_back(sink->state());
  states.push_back(hooks_->state());
  return states;
}

nlohmann::json AlertSinks::undelivered() const {
  auto json = nlohmann::json::object();
  const auto add = [&json](const auto& sink) {
    if (auto list = sink.undelivered(); !list.empty()) json[sink.state().name] = std::move(list);
  };
  if (journal_) add(*journal_);
  for (const auto& sink : webhooks_) add(*sink);
  add(*hooks_);
  return json;
}

void AlertSinks::restore(const nlohmann::json& json) {
  const auto give = [&json](auto& sink) {
    if (const auto list = json.find(sink.state().name); list != json.end()) sink.restore(*list);
  };
  if (!json.is_object()) return;
  if (journal_) give(*journal_);
  for (const auto& sink : webhooks_) give(*sink);
  give(*hooks_);
}

std::string alerts_file(const AlertStore& book, const AlertSinks& sinks, std::string_view boot_id) {
  auto json = book.to_json(boot_id);
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
  sinks.tell({}, *book);
  return book;
}

}  // namespace spark
