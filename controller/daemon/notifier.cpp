#include "daemon/notifier.hpp"

#include <utility>

#include <fmt/format.h>
#include <syslog.h>

#include "daemon/web/routes.hpp"

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
  listen(loop, options);
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

void Notifier::listen(boost::asio::io_context& loop, const NotifierOptions& options) {
  const auto& endpoint = options.agent.listen.value;
  auto server = HttpServer::listen(
      loop, {.ip = endpoint.ip, .port = endpoint.port}, names_of_machine(options.hostname),
      [this](std::string_view path) { return site(path, state_, clock_()); });
  if (server) {
    server_.emplace(std::move(*server));
  } else {
    log_(LOG_WARNING, fmt::format("no page and no metrics over HTTP: {}", server.error().what));
  }
}

void Notifier::update(NodeState state) {
  state_ = std::move(state);
  state_.sinks = sinks_.states();
  sinks_.deliver(store_.update(state_, clock_()), store_);
}

std::string Notifier::alerts() const { return alerts_file(store_, sinks_, boot_id_); }

}  // namespace spark::daemon
