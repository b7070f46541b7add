#pragma once
// run: from the arguments to the verb.

#include "cli/command.hpp"

namespace spark::cli {

/// Runs the verb that the arguments name, and asks the user where that is due (cli/question.hpp).
/// `daemon`: runs the daemon, which is no part of this library.
ExitCode run(const Command& command, ExitCode (*daemon)(const Command&));

}  // namespace spark::cli
