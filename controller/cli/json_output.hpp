#pragma once
// The JSON of the verbs: one envelope each, "spark-reconcile/<verb>/v1".

#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cli/command.hpp"
#include "reconcile/plan.hpp"
#include "reconcile/transaction.hpp"
#include "spec/diagnostic.hpp"

namespace spark {

nlohmann::json to_json(const Plan& plan);
nlohmann::json to_json(const Report& report, const Plan& plan);
nlohmann::json to_json(const Diagnostic& diagnostic, std::string_view file);

/// Prints `body` inside the envelope: schema, version, node, digest, generated_at (UTC) and
/// exit_code.
void print_json(const Command& command, std::string_view verb, const Cluster& cluster,
                std::string_view node, ExitCode code, const nlohmann::json& body);

}  // namespace spark
