#include "daemon/alerts/sinks/sink_health.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace spark::daemon {

SinkHealth::SinkHealth(std::string name, SinkEvents events) : events_(std::move(events)) {
  state_.name = std::move(name);
}

void SinkHealth::delivered() {
  if (state_.failures > 0) log(fmt::format("works again, failures before: {}", state_.failures));
  state_.failures = 0;
  state_.error.clear();
  ++state_.delivered;
  events_.changed();
}

void SinkHealth::failed(std::string error) {
  // One line until it works again: the tries go on, and so would the lines.
  if (state_.failures == 0) {
    log(fmt::format("fails: {}", error));
    state_.failing_since = moment();
  }
  ++state_.failures;
  state_.error = std::move(error);
  events_.changed();
}

void SinkHealth::dropped(std::string_view why) {
  ++state_.dropped;
  log(fmt::format("an alert could not be sent: {}", why));
  events_.changed();
}

void SinkHealth::log(std::string_view text) const {
  events_.log(fmt::format("{}: {}", state_.name, text));
}

std::chrono::milliseconds SinkHealth::wait() const {
  constexpr std::chrono::seconds kFirst{1};
  constexpr std::chrono::milliseconds kLongest{60'000};
  constexpr std::uint64_t kMostDoublings = 6;
  if (state_.failures == 0) return {};
  return std::min<std::chrono::milliseconds>(
      kFirst * (1U << std::min(state_.failures - 1, kMostDoublings)), kLongest);
}

}  // namespace spark::daemon
