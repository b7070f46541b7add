#pragma once
// The JSON of the verbs: one envelope each, "spark-reconcile/<verb>/v1".

#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "apply/transaction.hpp"
#include "base/exit_code.hpp"
#include "cli/input/cluster_file.hpp"
#include "cli/terminal.hpp"
#include "plan/plan.hpp"

namespace spark {

/// "waiting", "unknown", "not_enforced" or "pending".
nlohmann::json to_json(const Plan& plan);
nlohmann::json to_json(const Report& report, const Plan& plan);
/// The file's name, and its errors and warnings.
nlohmann::json to_json(const ClusterFile& file);

/// Prints `body` inside the envelope: schema, version, node, digest, generated_at (UTC) and
/// exit_code.
void print_json(const Terminal& terminal, std::string_view verb, const Cluster& cluster,
                std::string_view node, ExitCode code, const nlohmann::json& body);
/// Likewise for what comes of a file, with what is to be said about the file itself.
void print_json(const Terminal& terminal, std::string_view verb, const ClusterFile& file,
                std::string_view node, ExitCode code, nlohmann::json body);

}  // namespace spark
