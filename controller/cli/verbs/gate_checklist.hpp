#pragma once
// gate_checklist: `gate --checklist`.

#include "cli/command.hpp"

namespace spark::cli {

/// Prints the checklist of a real Spark with what this machine says. Needs no cluster file, changes
/// nothing. Always kDone: an answer that is not the expected one is no failure.
ExitCode gate_checklist(const Command& command);

}  // namespace spark::cli
