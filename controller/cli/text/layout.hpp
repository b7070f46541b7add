#pragma once
// Lines of a screen: each is at most as wide as the terminal, and none is broken inside a word.

#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal.hpp"

namespace spark::cli {

/// The columns of what stands behind the last line feed.
std::size_t last_line_columns(std::string_view text);

/// `head`, then the text; lines below the first begin where the text of the first begins.
std::string hanging(std::string_view head, std::string_view text, std::size_t width);

/// `left`, and `right` at the edge: on the same line where both fit, else below.
std::string row(std::string_view left, std::string_view right, std::size_t width);

/// The pieces with two blanks between them, as many as fit into a line; below the first line as
/// `hanging`. A piece is broken only where it does not fit into a line of its own.
std::string pieces(std::string_view head, const std::vector<std::string>& texts, std::size_t width);

/// The lines of a text as they are, or, on a terminal, in lines that fit; what a line begins with
/// in blanks, the lines that it becomes begin with too.
std::string fitting(std::string_view text, const Terminal& terminal);

/// "a", "a and b", "a, b and c".
std::string listed(const std::vector<std::string>& names);

/// The last line of a screen: what to type next, in one line that can be copied. Empty where there
/// is nothing to type.
std::string next_line(std::string_view label, std::string_view command);

/// Prints that line on stdout, on a terminal alone, and not with --quiet or --json.
void print_next(const Terminal& terminal, const Arguments& arguments, std::string_view label,
                std::string_view command);

}  // namespace spark::cli
