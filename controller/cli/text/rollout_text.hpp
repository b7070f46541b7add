#pragma once
// The order in which the nodes take a changed file, as `plan` shows it.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "config/cluster.hpp"
#include "host/files.hpp"
#include "plan/rollout.hpp"

namespace spark::cli {

/// The order in which the nodes take that file, compared with the last good file here. Empty: the
/// file asks for none, or is the last good one itself.
plan::RolloutOrder rollout_of(const config::Cluster& cluster, host::Files& files);

/// "Roll-out: spark3, then spark1 and spark2.\n"; empty: there is no order.
std::string rollout_text(const plan::RolloutOrder& order);

/// Null: there is no order.
nlohmann::json to_json(const plan::RolloutOrder& order);

}  // namespace spark::cli
