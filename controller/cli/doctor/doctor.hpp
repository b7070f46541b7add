#pragma once
// examine: all checks of `doctor`.

#include <string_view>

#include "cli/doctor/examination.hpp"

namespace spark::cli {

/// Of what only root can see nothing is claimed to others. Where -n names a peer: by what that node
/// told, its section "cluster" alone.
Examination examine(const Command& command);

/// The finding, of those that are not good, from which all that follows from it can be fixed; null:
/// this finding follows from none, and is one of these itself where it is not good.
const Finding* cause_of(const Finding& finding, const Examination& examination);

}  // namespace spark::cli
