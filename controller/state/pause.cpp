#include "state/pause.hpp"

#include <algorithm>
#include <cstdint>

#include <nlohmann/json.hpp>

#include "base/json_integer.hpp"
#include "base/text.hpp"
#include "state/journal.hpp"

namespace spark::state {
namespace {

using std::chrono::milliseconds;

/// The times of a pause as the file has them.
struct Times {
  milliseconds since;       ///< wall clock
  milliseconds until;       ///< wall clock
  milliseconds until_boot;  ///< boot clock, of that boot
  std::string boot_id;      ///< empty: it could not be read, or an older version wrote the pause
};

Times times_from(const nlohmann::json& json) {
  Times times{.since = milliseconds_of(json.at("since_ms")),
              .until = milliseconds_of(json.at("until_ms")),
              .until_boot = {},
              .boot_id = json.value("boot_id", "")};
  if (!times.boot_id.empty()) times.until_boot = milliseconds_of(json.at("until_boot_ms"));
  return times;
}

milliseconds length_of(const Times& times) {
  return std::clamp<milliseconds>(times.until - times.since, milliseconds(0), kLongestPause);
}

/// Not positive: it is over.
milliseconds left_of(const Times& times, const Moment& now, const std::string& boot) {
  const bool same_boot = !boot.empty() && times.boot_id == boot;
  const auto left =
      same_boot ? times.until_boot - now.boot : times.until - now.wall.time_since_epoch();
  return std::min(left, length_of(times));
}

}  // namespace

std::optional<Paused> read_pause(host::Host& host, const Moment& now) {
  const auto text = host.files.read(protocol::kPauseFile);
  if (!text || !*text) {
    return std::nullopt;
  }
  const auto json = nlohmann::json::parse(**text, nullptr, false);
  try {
    const auto times = times_from(json);
    const auto left = left_of(times, now, boot_id(host));
    if (left <= milliseconds(0)) {
      return std::nullopt;
    }
    return Paused{.since = later(now, left - length_of(times)),
                  .until = later(now, left),
                  .reason = printable(json.at("reason").get<std::string>(), kLongestReason),
                  .by = json.at("by").get<std::string>()};
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

Result<> write_pause(host::Host& host, const Paused& pause) {
  const nlohmann::json json{{"since_ms", pause.since.wall.time_since_epoch().count()},
                            {"until_ms", pause.until.wall.time_since_epoch().count()},
                            {"until_boot_ms", pause.until.boot.count()},
                            {"boot_id", boot_id(host)},
                            {"reason", printable(pause.reason, kLongestReason)},
                            {"by", pause.by}};
  constexpr unsigned kMode = 0600;
  return host.files.write_durably(protocol::kPauseFile, json.dump(2) + "\n", kMode);
}

Result<> remove_pause(host::Files& files) { return files.remove(protocol::kPauseFile); }

}  // namespace spark::state
