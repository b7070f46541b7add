#pragma once
// The keys of cluster.yaml and agent.yaml: what each takes, its default, what it means, an example.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/explain/explanation.hpp"

namespace spark::cli {

/// Each as a person types it: "nodes.management", "fabric.cables.ends".
std::vector<std::string> key_words();

/// `word` is a path, with or without what stands for names and items: "nodes.management",
/// "nodes.*.management", "nodes.spark1.management". Empty: there is none.
std::optional<Explanation> explain_key(std::string_view word);

}  // namespace spark::cli
