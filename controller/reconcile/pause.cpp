#include "reconcile/pause.hpp"

#include <cstdint>

#include <nlohmann/json.hpp>

#include "base/json_integer.hpp"

namespace spark {
namespace {

using WallTime = decltype(Moment::wall);

/// Times are written by the wall clock: the other one begins anew with each boot.
Moment moment_from(const nlohmann::json& wall_ms, const Moment& now) {
  const WallTime wall{milliseconds_of(wall_ms)};
  return {wall, now.boot + (wall - now.wall)};
}

}  // namespace

std::optional<Paused> read_pause(Files& files, const Moment& now) {
  const auto text = files.read(kPauseFile);
  if (!text || !*text) {
    return std::nullopt;
  }
  const auto json = nlohmann::json::parse(**text, nullptr, false);
  Paused pause;
  try {
    pause.since = moment_from(json.at("since_ms"), now);
    pause.until = moment_from(json.at("until_ms"), now);
    pause.reason = json.at("reason").get<std::string>();
    pause.by = json.at("by").get<std::string>();
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
  return now.wall < pause.until.wall ? std::optional(pause) : std::nullopt;
}

Result<> write_pause(Files& files, const Paused& pause) {
  const nlohmann::json json{{"since_ms", pause.since.wall.time_since_epoch().count()},
                            {"until_ms", pause.until.wall.time_since_epoch().count()},
                            {"reason", pause.reason},
                            {"by", pause.by}};
  constexpr unsigned kMode = 0600;
  return files.write_durably(kPauseFile, json.dump(2) + "\n", kMode);
}

Result<> remove_pause(Files& files) { return files.remove(kPauseFile); }

}  // namespace spark
