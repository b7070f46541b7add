#pragma once
// The JSON of the verbs: one envelope each, "spark-reconcile/<verb>/v1". Written by hand: nobody
// reads it back, a step is mostly functions, and a report names the steps of its plan by number.

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "apply/report.hpp"
#include "base/exit_code.hpp"
#include "cli/input/cluster_file.hpp"
#include "cli/terminal.hpp"
#include "plan/plan.hpp"

namespace spark::cli {

nlohmann::json to_json(const plan::Step& step);
/// Steps, skipped resources, what is left unchanged, and refusals.
nlohmann::json to_json(const plan::Plan& plan);
nlohmann::json to_json(const apply::Report& report, const plan::Plan& plan);
/// The file's name, and its errors and warnings.
nlohmann::json to_json(const ClusterFile& file);

/// A newer text, where the file in force is shown instead: `not_in_force` of the JSON.
nlohmann::json not_in_force_json(const state::NewerFile& newer);

/// What the envelope calls the types of files that are no document of ours.
inline constexpr std::string_view kYamlType = "application/yaml";
inline constexpr std::string_view kHtmlType = "text/html";

/// Names a file that the verb wrote in `artifacts` of `body`: its absolute path, its type (a schema
/// of ours, or a media type) and the SHA-256 of its text.
void add_artifact(nlohmann::json& body, const std::string& path, std::string_view type,
                  std::string_view text);

/// `body` inside the envelope: schema, version, node, digest, generated_at (UTC) and exit_code.
nlohmann::json in_envelope(std::string_view verb, const config::Cluster& cluster,
                           std::string_view node, ExitCode code, const nlohmann::json& body);
/// Prints that.
void print_json(const Terminal& terminal, std::string_view verb, const config::Cluster& cluster,
                std::string_view node, ExitCode code, const nlohmann::json& body);
/// The same for the result of a file, with the file's name, errors and warnings.
void print_json(const Terminal& terminal, std::string_view verb, const ClusterFile& file,
                std::string_view node, ExitCode code, nlohmann::json body);

}  // namespace spark::cli
