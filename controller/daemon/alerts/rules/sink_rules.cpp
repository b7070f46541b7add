#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "daemon/alerts/rules/rules.hpp"
#include "diagnosis/kinds.hpp"

namespace spark::daemon {
namespace {

/// One lost connection is no news.
constexpr std::uint64_t kSinkFailures = 3;

}  // namespace

void find_sink_failing(const NodeState& state, FoundAlerts& found) {
  for (const auto& sink : state.sinks) {
    if (sink.failures < kSinkFailures) continue;
    auto& alert = found.add_about(
        node_state::is_named(diagnosis::kReceiver, sink.name), {{"sink", sink.name}},
        fmt::format("alerts do not reach {}: {}", sink.name, sink.error), sink.failing_since);
    alert.description = fmt::format("{} tries in a row failed, {} messages were dropped",
                                    sink.failures, sink.dropped);
  }
}

bool sink_is_judged(const Alert& alert, const NodeState& state) {
  const auto sink = std::ranges::find(state.sinks, label_of(alert, "sink"), &SinkState::name);
  return sink == state.sinks.end() || (sink->delivered > 0 && sink->failures == 0);
}

std::string how_sink_ended(const Alert& /*alert*/, const NodeState& /*state*/) {
  return "it takes alerts again, or is named no longer";
}

}  // namespace spark::daemon
