#pragma once
// AlertMutes: which alerts nobody is told of now. A mute ends by time, by hand, or because what it
// is for got worse (docs/decisions/0075-a-mute-ends-by-itself.md).

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "daemon/alerts/alert_store.hpp"
#include "daemon/alerts/common/alert.hpp"
#include "daemon/common/node_state_names.hpp"

namespace spark::daemon {

/// A mute that the daemon has seen.
struct KnownMute {
  MuteRecord record;
  /// The highest of its alerts when it began, if any was raised.
  AlertSeverity severity = AlertSeverity::kWarning;
  bool ended = false;  ///< by worsening; its file may still ask for it
};

/// A mute that begins or ends; it is reported once.
struct MuteChange {
  MuteRecord record;
  std::string how;  ///< how it ended; empty: it begins
};

class AlertMutes {
 public:
  /// The mutes that `state` asks for, beside the alerts of the store. `now` is of this boot.
  std::vector<MuteChange> update(const NodeState& state, const AlertStore& store,
                                 const Moment& now);

  /// Nobody is told of the alert now.
  [[nodiscard]] bool covers(const Alert& alert) const;
  /// Those in force.
  [[nodiscard]] std::vector<MuteRecord> records() const;
  /// Those in force of what is asked for, as far as they are known: the others have just begun.
  [[nodiscard]] std::vector<MuteRecord> records_of(const std::vector<state::Mute>& asked) const;
  /// When the first of them is over, by the boot clock. Empty: none lasts.
  [[nodiscard]] std::optional<std::chrono::milliseconds> due() const;

  /// For a file.
  [[nodiscard]] nlohmann::json to_json() const;
  /// What cannot be read is left out: that mute then begins again.
  void restore(const nlohmann::json& json, const Moment& now);

 private:
  [[nodiscard]] const KnownMute* find(const state::Mute& mute) const;
  void read_again(const NodeState& state);
  void drop_what_is_gone(const NodeState& state, const Moment& now,
                         std::vector<MuteChange>& changes);
  void add_what_is_new(const NodeState& state, std::vector<MuteChange>& changes);

  std::vector<KnownMute> known_;
};

}  // namespace spark::daemon
