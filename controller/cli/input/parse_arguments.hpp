#pragma once
// parse_arguments: from the words of the command line to Arguments, by the table of verbs. The
// only user of the argument library is parse_arguments.cpp.

#include <string>
#include <variant>

#include "base/exit_code.hpp"
#include "cli/input/arguments.hpp"

namespace spark::cli {

/// The answer to a command line that runs no verb: help, or why the command line is wrong.
struct Answer {
  std::string help;
  std::string error;  ///< one clause; empty: none
  ExitCode code = ExitCode::kDone;
  bool json = false;               ///< --json stands somewhere in the command line
  const VerbSpec* verb = nullptr;  ///< that is named; its help says more
};

/// Reads the command line. NO_COLOR in the environment means --color=never unless that is given.
std::variant<Arguments, Answer> parse_arguments(int argc, const char* const* argv);

}  // namespace spark::cli
