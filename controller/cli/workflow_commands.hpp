#pragma once
// Workflow commands: lines that GitHub Actions shows as annotations at the place that they name
// (https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands).

#include <cstdint>
#include <string>

#include "cli/input/cluster_file.hpp"
#include "plan/plan.hpp"

namespace spark::cli {

struct Annotation {
  enum class Level : std::uint8_t { kNotice, kWarning, kError };
  Level level = Level::kNotice;
  std::string file;     ///< empty: it has no place
  config::Where where;  ///< line 0: the whole file
  std::string title;
  std::string message;  ///< any text, also of several lines
};

/// One line, with its end.
std::string workflow_command(const Annotation& annotation);

/// A line for each finding about the file; without the warnings where only `errors` are asked for.
std::string commands_of_findings(const ClusterFile& file, bool only_errors);
/// A line for each refusal.
std::string commands_of_refusals(const plan::Plan& plan, const ClusterFile& file);

}  // namespace spark::cli
