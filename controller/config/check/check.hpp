#pragma once
// check: what a cluster means, across the whole file: everything that the structure alone cannot
// refuse.

#include "config/cluster.hpp"
#include "config/yaml/diagnostic_list.hpp"

namespace spark {

/// Adds errors and warnings. Works on partly read clusters: what is absent is reported only when
/// the structure was whole.
void check(const Cluster& cluster, Findings& findings);

}  // namespace spark
