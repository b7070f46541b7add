#pragma once
// A releases.yaml as values: what an owner knows of single releases of the kernel, over what this
// program knows. docs/explain/hardware.md shows one.

#include <string>
#include <string_view>
#include <vector>

#include "config/yaml/diagnostic.hpp"

namespace spark::config {

/// The fields of host::KernelRelease.
struct ReleaseSpec {
  std::string release;
  std::string fault;
  std::string unless;
  std::string source;
  std::string date;
};

struct ParsedReleases {
  std::vector<ReleaseSpec> releases;    ///< to be used only when no diagnostic is an error
  std::vector<Diagnostic> diagnostics;  ///< sorted by place
};

/// Reads a whole releases.yaml, as `parse` does a cluster.yaml: the same YAML, limits and ids.
/// Pure.
ParsedReleases parse_releases(std::string_view text);

}  // namespace spark::config
