#pragma once
// status_json: what the daemon knows of its node, for programs of others. It has UTC texts where
// NodeState has moments, and null where that has empty texts.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "node_state/node_state.hpp"

namespace spark::node_state {

/// The document of schema/output/daemon-status.schema.json, with a newline at its end, for
/// /status.json and for /run/spark-reconcile/status.json.
std::string status_json(const NodeState& state, const Moment& now);

// Parts of it, for verbs that print them.
nlohmann::json to_json(const MuteRecord& record);
nlohmann::json to_json(const Drift& drift);
nlohmann::json to_json(const ChangeRecord& change);
nlohmann::json to_json(const all_nodes::Progress& progress);

}  // namespace spark::node_state
