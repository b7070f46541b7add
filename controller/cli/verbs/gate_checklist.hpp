#pragma once
// gate_checklist: `gate --checklist`.

#include <string>

#include "cli/command.hpp"

namespace spark::cli {

/// Prints the checklist of a real Spark with what this machine says. Needs no cluster file, changes
/// nothing. Always kDone: an answer that is not the expected one is no failure.
/// `out`: path of the new file that others get; empty: none.
ExitCode gate_checklist(const Command& command, const std::string& out);

}  // namespace spark::cli
