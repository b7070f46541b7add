#pragma once
// live_values: what completion knows of this machine and its files.

#include "cli/completion/completion.hpp"
#include "host/host.hpp"

namespace spark::cli {

/// Reads what an ordinary user may read; what cannot be read gives no candidates. Never reads
/// stdin.
LiveValues live_values(host::Host& host);

}  // namespace spark::cli
