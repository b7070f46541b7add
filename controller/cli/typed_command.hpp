#pragma once
// typed: a command as those who look at the terminal type it.

#include <string>
#include <string_view>

#include "cli/terminal.hpp"

namespace spark::cli {

/// The command, with sudo before what only root may where a user who is not root types it.
std::string typed(std::string_view command, const Terminal& terminal);

/// The text, with each command in backquotes so.
std::string typed_in(std::string_view text, const Terminal& terminal);

}  // namespace spark::cli
