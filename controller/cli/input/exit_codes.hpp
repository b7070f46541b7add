#pragma once
// The exit codes in words, for the help, the manual pages and the README.

#include <span>
#include <string_view>

#include "base/exit_code.hpp"

namespace spark::cli {

struct ExitCodeRow {
  ExitCode code{};
  std::string_view brief;    ///< for the end of the help
  std::string_view meaning;  ///< as the README has it
};

/// All exit codes, in the order of their numbers.
std::span<const ExitCodeRow> exit_codes();

/// What the code means where its verb says nothing closer.
std::string_view meaning_of(ExitCode code);

}  // namespace spark::cli
