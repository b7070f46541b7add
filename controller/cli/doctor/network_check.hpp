#pragma once
// check_network: what keeps the traffic of a rail from being the rail's alone: a default route, a
// subnet that another link has, a bridge or bond, router advertisements.

#include "cli/doctor/finding.hpp"

namespace spark::cli {

/// Nothing where no rail is here.
Findings check_network(const Command& command);

}  // namespace spark::cli
