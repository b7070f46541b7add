#pragma once
// parse: the text of a cluster.yaml becomes a Cluster, or the list of everything that is wrong.

#include <string_view>
#include <vector>

#include "config/cluster.hpp"
#include "config/yaml/diagnostic.hpp"

namespace spark::config {

struct Parsed {
  Cluster cluster;                      ///< to be used only when no diagnostic is an error
  std::vector<Diagnostic> diagnostics;  ///< errors and warnings, sorted by place
};

/// Reads the whole text, checks structure and then meaning, and reports all findings of one run.
/// Pure: no file, no host. Bounded: 256 KiB, depth 16, 50 000 nodes, 4 KiB a scalar.
Parsed parse(std::string_view text);

}  // namespace spark::config
