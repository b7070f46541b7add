#pragma once
// check: refuses what the structure alone cannot: errors in the meaning of a cluster, across the
// whole file.

#include "config/cluster.hpp"
#include "config/yaml/diagnostic_list.hpp"

namespace spark::config {

/// Adds errors and warnings. Works on partly read clusters: a missing part is reported only when
/// the structure was whole.
void check(const Cluster& cluster, Findings& findings);

}  // namespace spark::config
