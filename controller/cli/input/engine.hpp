#pragma once
// Verbs that the adapter of an engine has: `rollout --engine slurm`, `status --engine slurm`.

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace spark::cli {

/// What runs in place of this program.
struct EngineCall {
  std::string program;             ///< path of the adapter
  std::string package;             ///< of which it is
  std::vector<std::string> words;  ///< its command line, with the name of the program
};

/// By a command line with `--engine NAME` right after the verb; empty: it has none, or no engine of
/// that name is known. All words but these two go to the adapter as they are. Pure.
std::optional<EngineCall> engine_call(std::span<const char* const> words);

}  // namespace spark::cli
