#pragma once
// The pages and schemas that `explain` prints from. They are in the program as strings
// (CMakeLists.txt makes the file that defines these), so that what a page says is written once.

#include <string_view>

namespace spark::cli {

std::string_view errors_page();     ///< docs/reference/errors.md
std::string_view alerts_page();     ///< docs/reference/alerts.md
std::string_view gate_page();       ///< docs/explain/gate.md
std::string_view glossary_page();   ///< docs/reference/glossary.md
std::string_view spec_ids_text();   ///< cli/explain/spec_ids.txt
std::string_view cluster_schema();  ///< schema/cluster.schema.json
std::string_view agent_schema();    ///< schema/agent.schema.json
/// schema/everything.yaml and everything_agent.yaml, in which each key has a value.
std::string_view every_cluster_key();
std::string_view every_agent_key();

}  // namespace spark::cli
