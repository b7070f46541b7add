#pragma once
// muted_alerts: how people read the mutes in force.

#include <chrono>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/moment.hpp"
#include "node_state/node_state.hpp"

namespace spark::cli {

/// "SparkDrift (SR-ALERT-003) of spark2".
std::string muted_subject(const state::Mute& mute);

/// Lines for `status`, each with its line feed; empty: nothing is muted.
std::string muted_text(const std::vector<node_state::MuteRecord>& muted);

/// For one line of all: "muted here: SparkDrift and 2 more"; empty: nothing is muted.
std::string muted_brief(const std::vector<node_state::MuteRecord>& muted);

/// How long it still lasts: at least nothing.
std::chrono::milliseconds left_of(const state::Mute& mute, const Moment& now);

/// Lines for `mute`: what is left of each, who asked for it, and why.
std::string muted_list(const std::vector<node_state::MuteRecord>& muted, const Moment& now);

/// As the daemon's status has it; with what is left.
nlohmann::json mute_json(const node_state::MuteRecord& muted, const Moment& now);

}  // namespace spark::cli
