#pragma once
// write_bundle: `doctor --bundle`.

#include "cli/command.hpp"

namespace spark::cli {

ExitCode write_bundle(const Command& command);

}  // namespace spark::cli
