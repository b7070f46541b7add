#pragma once
// AlertStore: which alerts are raised. One episode an alert, however often it is seen; a flapping
// one is one episode; a restart of the daemon neither repeats nor forgets.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.hpp"
#include "daemon/alerts/alert.hpp"

namespace spark {

/// One episode of one alert.
struct StoredAlert {
  Alert alert;                        ///< its text as last seen; labels and `since` as raised
  std::optional<Moment> quiet_since;  ///< not true since then, and not yet called over
  std::optional<Moment> resolved;     ///< over
  std::string how;                    ///< it ended
  unsigned returns = 0;               ///< how often it came back lately
  std::optional<Moment> last_return;  ///<
};

/// An alert that begins or ends: what is told once.
struct Transition {
  enum class What : std::uint8_t { kRaised, kResolved };
  What what = What::kRaised;
  Alert alert;
  Moment at;
  std::string how;  ///< resolved: how
};

class AlertStore {
 public:
  /// DriftTracker that are kept; the oldest that are over make room.
  static constexpr std::size_t kMost = 256;
  /// How long one that is over is known: for whom it could not be told yet, and to count returns.
  static constexpr std::chrono::minutes kRemembered{60};

  /// What begins and what ends by what the state says now. `now` is of this boot.
  std::vector<Transition> update(const NodeState& state, const Moment& now);

  /// By fingerprint; also those that are over and still remembered.
  [[nodiscard]] const std::map<std::string, StoredAlert>& entries() const { return entries_; }
  /// When `update` has to be called though nothing else happens, by the boot clock. Empty: never.
  [[nodiscard]] std::optional<std::chrono::milliseconds> due() const;
  /// Alerts that found no room.
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

  /// For a file; `boot_id` tells which boot its boot clock is of.
  [[nodiscard]] nlohmann::json to_json(std::string_view boot_id) const;
  /// Moments of another boot are put onto this one's clock by the wall clock.
  /// Errors: kInvalid; one goes on with an empty book then.
  static Result<AlertStore> from_json(const nlohmann::json& json, std::string_view boot_id,
                                      const Moment& now);

 private:
  void see(Alert alert, const Moment& now, std::vector<Transition>& transitions);
  bool make_room();

  std::map<std::string, StoredAlert> entries_;
  std::uint64_t dropped_ = 0;
};

/// How long an alert must be quiet before it is over: longer when it came back often.
std::chrono::milliseconds patience(unsigned returns);

// alert_json.cpp
nlohmann::json to_json(const Transition& transition);
/// Errors: kInvalid.
Result<Transition> transition_from_json(const nlohmann::json& json);

}  // namespace spark
