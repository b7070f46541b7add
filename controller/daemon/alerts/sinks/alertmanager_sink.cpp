#include "daemon/alerts/sinks/alertmanager_sink.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace spark::daemon {
namespace {

HttpUrl api_of(const std::string& base) {
  auto url = HttpUrl::parse(base).value_or(HttpUrl{});  // parse_agent has refused others
  if (url.target.ends_with('/')) url.target.pop_back();
  url.target += "/api/v2/alerts";
  return url;
}

}  // namespace

AlertmanagerSink::AlertmanagerSink(boost::asio::io_context& context, const std::string& url,
                                   SinkEvents events, AlertmanagerTimes times)
    : context_(context),
      timer_(context),
      url_(api_of(url)),
      health_("alertmanager " + url, std::move(events)),
      times_(times) {}

void AlertmanagerSink::update(const AlertStore& store) {
  std::map<std::string, Told> told;
  std::set<End> acknowledged;
  for (const auto& [print, entry] : store.entries()) {
    if (entry.muted || concerns(entry.alert, health_.name())) continue;
    if (entry.resolved) {
      const End end{print, entry.resolved->wall};
      if (acknowledged_.contains(end)) {
        acknowledged.insert(end);
        continue;
      }
    }
    const auto known = told_.find(print);
    news_ = news_ || known == told_.end() ||
            known->second.resolved.has_value() != entry.resolved.has_value();
    told.emplace(print, Told{entry.alert, entry.resolved});
  }
  told_ = std::move(told);
  acknowledged_ = std::move(acknowledged);
  if (news_ && !in_flight_ && health_.state().failures == 0) send();
}

void AlertmanagerSink::arm(std::chrono::milliseconds wait) {
  timer_.expires_after(wait);
  timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (!error && self && !self->in_flight_) self->send();
  });
}

void AlertmanagerSink::send() {
  news_ = false;
  // After a failure an empty list tells whether it takes alerts again.
  if (told_.empty() && health_.state().failures == 0) return;
  const auto over_by = health_.moment().wall + times_.lasts;
  auto items = nlohmann::json::array();
  std::set<End> ends;
  for (const auto& [print, told] : told_) {
    items.push_back(alertmanager_item(told.alert, told.resolved ? told.resolved->wall : over_by));
    if (told.resolved) ends.emplace(print, told.resolved->wall);
  }
  in_flight_ = true;
  timer_.cancel();
  post_http(context_, {.url = url_, .content_type = "application/json", .body = dump(items)},
            times_.deadline,
            [weak = weak_from_this(), ends = std::move(ends)](const Result<HttpAnswer>& answer) {
              if (const auto self = weak.lock()) self->sent(answer, ends);
            });
}

void AlertmanagerSink::sent(const Result<HttpAnswer>& answer, const std::set<End>& ends) {
  in_flight_ = false;
  if (answer && answer->is_success()) {
    for (const auto& end : ends) {
      acknowledged_.insert(end);
      const auto told = told_.find(end.first);
      if (told != told_.end() && told->second.resolved &&
          told->second.resolved->wall == end.second) {
        told_.erase(told);
      }
    }
    arm(news_ ? std::chrono::milliseconds(0) : times_.again);
    health_.delivered();
  } else {
    health_.failed(answer ? fmt::format("status {}: {}", answer->status, answer->first_line)
                          : answer.error().what);
    arm(health_.wait());
  }
}

Sinks make_alertmanager_sinks(const SinkOrder& order) {
  Sinks sinks;
  for (const auto& url : order.spec.alertmanagers) {
    sinks.push_back(std::make_shared<AlertmanagerSink>(order.context, url.value, order.events,
                                                       order.options.alertmanager));
  }
  return sinks;
}

}  // namespace spark::daemon
