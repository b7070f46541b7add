#pragma once
// run: from the arguments to the verb.

#include <span>

#include "cli/command.hpp"

namespace spark::cli {

/// Runs the verb that the arguments name, and asks the user where that is due (cli/question.hpp).
/// `words`: the command line without the program's name, which is shown where it has to be typed
/// again with sudo. `daemon`: runs the daemon, which is no part of this library.
ExitCode run(const Command& command, std::span<const char* const> words,
             ExitCode (*daemon)(const Command&));

}  // namespace spark::cli
