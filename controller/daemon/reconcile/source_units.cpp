#include "daemon/reconcile/source_units.hpp"

#include <fmt/format.h>

#include "state/source.hpp"

namespace spark::daemon {
namespace {

constexpr std::chrono::seconds kUnitTime{10};
constexpr std::chrono::minutes kRetry{1};
constexpr const char* kIntervalFile =
    "/run/systemd/system/spark-reconcile-fetch.timer.d/every.conf";

}  // namespace

Result<> SourceUnits::follow(host::Host& host, const std::optional<config::SourceSpec>& source,
                             const Moment& now) {
  const auto every = source ? std::optional(source->every.value) : std::nullopt;
  if (every == every_) return {};
  if (failed_at_ && now.boot - *failed_at_ < kRetry) return last_;
  last_ = every ? start(host, *every) : stop(host);
  if (last_) {
    every_ = every;
    failed_at_.reset();
  } else {
    failed_at_ = now.boot;
  }
  return last_;
}

Result<> SourceUnits::start(host::Host& host, std::chrono::milliseconds every) {
  constexpr unsigned kMode = 0644;
  // The empty one resets all that the unit says of times (systemd.timer(5)).
  const auto text = fmt::format(
      "[Timer]\nOnUnitInactiveSec=\nOnActiveSec=0\nOnUnitInactiveSec={}ms\n", every.count());
  if (host.files.read(kIntervalFile).value_or(std::nullopt) != text) {
    if (auto written = host.files.write(kIntervalFile, text, kMode); !written) return written;
    if (auto reloaded = host.bus.reload_units(); !reloaded) return reloaded;
    if (auto stopped = host.bus.stop(state::kFetchTimer, kUnitTime); !stopped) return stopped;
  }
  // First what listens, so that the first fetch is judged.
  if (auto started = host.bus.start(state::kJudgePath, kUnitTime); !started) return started;
  return host.bus.start(state::kFetchTimer, kUnitTime);
}

Result<> SourceUnits::stop(host::Host& host) {
  if (auto stopped = host.bus.stop(state::kFetchTimer, kUnitTime); !stopped) return stopped;
  return host.bus.stop(state::kJudgePath, kUnitTime);
}

}  // namespace spark::daemon
