#pragma once
// Maps of cluster files for the tests of what is drawn.

#include <string>

#include <gtest/gtest.h>

#include "config/parse/parse.hpp"
#include "drawing/fabric_map.hpp"

namespace spark::drawing {

/// Of a file with nodes a to e, numbers 1 to 5, and these lines below `fabric:`.
inline std::string file_with_fabric(const std::string& fabric, const std::string& more_nodes = "") {
  return "version: 1\ncluster: lab\nnodes:\n  a: { number: 1 }\n  b: { number: 2 }\n"
         "  c: { number: 3 }\n  d: { number: 4 }\n  e: { number: 5 }\n" +
         more_nodes + "fabric:\n  mtu: 9000\n" + fabric;
}

inline FabricMap map_of(const std::string& file) {
  const auto parsed = config::parse(file);
  for (const auto& finding : parsed.diagnostics) {
    EXPECT_NE(finding.severity, config::Severity::kError) << finding.message;
  }
  return fabric_map(parsed.cluster);
}

inline FabricMap map_with(const std::string& fabric) { return map_of(file_with_fabric(fabric)); }

}  // namespace spark::drawing
