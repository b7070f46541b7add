#include "daemon/alerts/sinks/alert_sinks.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include <boost/asio/post.hpp>

#include "daemon/alerts/sinks/alert_formats.hpp"
#include "daemon/alerts/sinks/alertmanager_sink.hpp"
#include "daemon/alerts/sinks/hook_sink.hpp"
#include "daemon/alerts/sinks/journal_sink.hpp"
#include "daemon/alerts/sinks/webhook_sink.hpp"

namespace spark::daemon {
namespace {

constexpr const char* kQueues = "queues";
constexpr const char* kMutes = "mutes";

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

/// Every sort of sink that agent.yaml can name, in the order in which they are told.
constexpr std::array kSorts{make_journal_sinks, make_alertmanager_sinks, make_webhook_sinks,
                            make_hook_sinks};

}  // namespace

AlertSinks::AlertSinks(boost::asio::io_context& context, const config::AlertsSpec& spec,
                       SinkEvents events, const AlertSinksOptions& options) {
  events.changed = later_and_once(context, std::move(events.changed));
  const SinkOrder order{context, spec, events, options};
  for (const auto make : kSorts) std::ranges::move(make(order), std::back_inserter(sinks_));
}

void AlertSinks::deliver(const std::vector<Transition>& transitions, const AlertStore& store) {
  for (const auto& sink : sinks_) {
    for (const auto& transition : transitions) sink->deliver(transition);
    sink->update(store);
  }
}

void AlertSinks::withhold(const IsMuted& is_muted) {
  for (const auto& sink : sinks_) sink->withhold(is_muted);
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
    if (auto list = sink->undelivered(); !list.empty()) json[sink->state().name] = std::move(list);
  }
  return json;
}

void AlertSinks::restore(const nlohmann::json& json, const IsMuted& is_muted) {
  if (!json.is_object()) return;
  for (const auto& sink : sinks_) {
    const auto list = json.find(sink->state().name);
    if (list == json.end() || !list->is_array()) continue;
    auto left = nlohmann::json::array();
    for (const auto& item : *list) {
      const auto transition = transition_from_json(item);
      if (transition && !is_muted(transition->alert)) left.push_back(item);
    }
    sink->restore(left);
  }
}

std::string alerts_file(const AlertStore& store, const AlertSinks& sinks, const AlertMutes& mutes,
                        std::string_view boot_id) {
  auto json = store.to_json(boot_id);
  json[kQueues] = sinks.undelivered();
  json[kMutes] = mutes.to_json();
  return dump(json) + "\n";
}

Result<KeptAlerts> read_alerts_file(std::string_view text, std::string_view boot_id,
                                    const Moment& now) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return fail(ErrorCode::kInvalid, "read the alerts: not JSON");
  auto book = AlertStore::from_json(json, boot_id, now);
  if (!book) return std::unexpected(book.error());
  KeptAlerts kept{
      .store = *std::move(book), .mutes = {}, .undelivered = json.value(kQueues, nlohmann::json())};
  if (const auto mutes = json.find(kMutes); mutes != json.end()) kept.mutes.restore(*mutes, now);
  return kept;
}

}  // namespace spark::daemon
