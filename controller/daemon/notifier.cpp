#include "daemon/notifier.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <syslog.h>

#include <nlohmann/json.hpp>

#include "daemon/mute_news.hpp"

namespace spark::daemon {
namespace {

SinkEvents events_for(const NotifierOptions& options, std::function<void()> changed) {
  return {.log = [log = options.log](std::string_view line) { log(LOG_WARNING, line); },
          .changed = std::move(changed),
          .alert = options.log,
          .clock = options.clock};
}

}  // namespace

Notifier::Notifier(boost::asio::io_context& loop, const NotifierOptions& options,
                   std::function<void()> changed)
    : boot_id_(options.boot_id),
      log_(options.log),
      clock_(options.clock),
      state_(options.state),
      sinks_(loop, options.agent.alerts, events_for(options, std::move(changed)),
             {.root = options.root}) {
  restore(options.alerts);
}

/// What is muted is known before any sink is given something.
void Notifier::restore(const std::string& text) {
  nlohmann::json undelivered;
  if (!text.empty()) {
    auto kept = read_alerts_file(text, boot_id_, clock_());
    if (kept) {
      store_ = std::move(kept->store);
      mutes_ = std::move(kept->mutes);
      undelivered = std::move(kept->undelivered);
    } else {
      log_(LOG_WARNING, fmt::format("'{}' is not understood; alerts start empty: {}", kAlertsFile,
                                    kept.error().what));
    }
  }
  changes_ = mutes_.update(state_, store_, clock_());
  state_.mutes = mutes_.records();
  state_.mutes_error.clear();  // news of the first pass
  store_.mute(is_muted());
  sinks_.restore(undelivered, is_muted());
  sinks_.deliver({}, store_);
}

IsMuted Notifier::is_muted() const {
  return [this](const Alert& alert) { return mutes_.covers(alert); };
}

std::vector<News> Notifier::update(NodeState state) {
  state_ = std::move(state);
  state_.sinks = sinks_.states();
  const auto at = clock_();
  auto transitions = store_.update(state_, at);
  std::ranges::move(mutes_.update(state_, store_, at), std::back_inserter(changes_));
  state_.mutes = mutes_.records();
  const auto withheld = store_.withhold(transitions, is_muted(), at);
  sinks_.withhold(is_muted());
  sinks_.deliver(transitions, store_);
  return news_of_mutes(std::exchange(changes_, {}), withheld);
}

std::optional<std::chrono::milliseconds> Notifier::due() const {
  const auto first = store_.due();
  const auto end = mutes_.due();
  return first && end ? std::min(*first, *end) : first ? first : end;
}

std::string Notifier::alerts() const { return alerts_file(store_, sinks_, mutes_, boot_id_); }

}  // namespace spark::daemon
