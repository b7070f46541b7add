#pragma once
// AlertStore: which alerts are raised. An alert is raised once, however often it is seen, also if
// it flaps; a restart of the daemon neither repeats an alert nor forgets one.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.hpp"
#include "daemon/alerts/common/alert.hpp"

namespace spark::daemon {

/// One alert, from its beginning to its end.
struct StoredAlert {
  Alert alert;                        ///< its text as last seen; labels and `since` as raised
  std::optional<Moment> quiet_since;  ///< not true since then, and not yet over
  std::optional<Moment> resolved;     ///< over
  std::string how;                    ///< how it ended
  unsigned returns = 0;               ///< how often it came back lately
  std::optional<Moment> last_return;  ///<
  bool muted = false;                 ///< nobody is told of it; of one that is over, of its end
};

/// An alert that begins or ends; it is reported once.
struct Transition {
  enum class What : std::uint8_t { kRaised, kResolved };
  What what = What::kRaised;
  Alert alert;
  Moment at;
  std::string how;  ///< resolved: how
};

/// Whether nobody is to be told of an alert now.
using IsMuted = std::function<bool(const Alert&)>;

class AlertStore {
 public:
  /// How many alerts are kept; the oldest that are over make room.
  static constexpr std::size_t kMost = 256;
  /// How long an alert that is over is kept: for sinks that were not reached yet, and to count
  /// returns.
  static constexpr std::chrono::minutes kRemembered{60};

  /// The alerts that begin or end by the state. `now` is of this boot.
  std::vector<Transition> update(const NodeState& state, const Moment& now);

  /// Takes out of `transitions` what is muted, and gives that. An alert that is still raised when
  /// its mute ends begins again there: receivers have forgotten it, or were never told.
  std::vector<Transition> withhold(std::vector<Transition>& transitions, const IsMuted& is_muted,
                                   const Moment& now);
  /// The same before the first update, where no mute ends yet.
  void mute(const IsMuted& is_muted);

  /// By fingerprint; also those that are over and still remembered.
  [[nodiscard]] const std::map<std::string, StoredAlert>& entries() const { return entries_; }
  /// When `update` has to be called even if nothing happens, by the boot clock. Empty: never.
  [[nodiscard]] std::optional<std::chrono::milliseconds> due() const;
  /// Alerts that found no room.
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

  /// For a file; `boot_id` tells which boot its boot clock is of.
  [[nodiscard]] nlohmann::json to_json(std::string_view boot_id) const;
  /// Converts moments of another boot to this boot's clock, by the wall clock.
  /// Errors: kInvalid; the caller then starts with an empty store.
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

}  // namespace spark::daemon
