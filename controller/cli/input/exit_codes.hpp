#pragma once
// The exit codes in words, for the help, the manual pages and docs/reference/verbs.md.

#include <span>
#include <string_view>

#include "base/exit_code.hpp"

namespace spark::cli {

struct ExitCodeRow {
  ExitCode code{};
  std::string_view brief;    ///< for the end of the help
  std::string_view meaning;  ///< in full
};

/// All exit codes, in the order of their numbers.
std::span<const ExitCodeRow> exit_codes();

/// What the code means where its verb says nothing closer.
std::string_view meaning_of(ExitCode code);

}  // namespace spark::cli
