#pragma once
// examine: all checks of `doctor`.

#include <string_view>

#include "cli/doctor/examination.hpp"

namespace spark::cli {

/// Of what only root can see nothing is claimed to others. Where -n names a peer: by what that node
/// told, its section "cluster" alone.
Examination examine(const Command& command);

}  // namespace spark::cli
