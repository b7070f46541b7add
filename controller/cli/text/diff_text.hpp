#pragma once
// diff_text: what differs between two texts, as `diff -u` shows it.

#include <string>
#include <string_view>

#include "cli/terminal.hpp"

namespace spark::cli {

/// The lines that are removed (-) and added (+), with three lines around them; below a line for
/// each of the two texts with its name. Empty: they have the same lines.
std::string diff_text(std::string_view from_name, std::string_view from, std::string_view to_name,
                      std::string_view to, const Terminal& terminal);

}  // namespace spark::cli
