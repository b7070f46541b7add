#include "daemon/notifier.hpp"

#include <utility>

#include <fmt/format.h>
#include <syslog.h>

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
      sinks_(loop, options.agent.alerts, events_for(options, std::move(changed)),
             {.root = options.root}) {
  if (!options.alerts.empty()) {
    restore(options.alerts);
  }
}

void Notifier::restore(const std::string& text) {
  auto book = read_alerts_file(text, boot_id_, clock_(), sinks_);
  if (book) {
    store_ = std::move(*book);
  } else {
    log_(LOG_WARNING, fmt::format("'{}' is not understood; alerts start empty: {}", kAlertsFile,
                                  book.error().what));
  }
}

void Notifier::update(NodeState state) {
  state_ = std::move(state);
  state_.sinks = sinks_.states();
  sinks_.deliver(store_.update(state_, clock_()), store_);
}

std::string Notifier::alerts() const { return alerts_file(store_, sinks_, boot_id_); }

}  // namespace spark::daemon
