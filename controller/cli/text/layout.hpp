#pragma once
// Lines of a screen: each is at most as wide as the terminal, and the last one says what to type
// next.

#include <string>
#include <string_view>

#include "base/lines.hpp"  // IWYU pragma: export
#include "base/text.hpp"   // IWYU pragma: export
#include "cli/terminal.hpp"
#include "cli/typed_command.hpp"  // IWYU pragma: export
#include "diagnosis/problem.hpp"

namespace spark::cli {

/// `typed_in` of the text, as `in_lines` of the terminal's width.
std::string fitting(std::string_view text, const Terminal& terminal);

/// The last line of a screen: what to type next, in one line that can be copied. Empty where there
/// is nothing to type.
std::string next_line(std::string_view label, std::string_view command);

/// The same of a remedy: its command alone as it is typed, and what is done by hand in lines that
/// fit.
std::string remedy_line(std::string_view label, const diagnosis::Remedy& remedy,
                        const Terminal& terminal);

/// Prints that line on stdout, on a terminal alone, and not with --quiet or --json.
void print_next(const Terminal& terminal, const Arguments& arguments, std::string_view label,
                std::string_view command);

}  // namespace spark::cli
