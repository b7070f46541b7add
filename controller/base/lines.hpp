#pragma once
// Texts in lines that are at most so many columns wide, and none broken inside a word.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spark {

/// The columns of what stands behind the last line feed.
std::size_t last_line_columns(std::string_view text);

/// `head`, then the text; lines below the first begin where the text of the first begins.
std::string hanging(std::string_view head, std::string_view text, std::size_t width);

/// `left`, and `right` at the edge: on the same line where both fit, else below.
std::string row(std::string_view left, std::string_view right, std::size_t width);

/// The pieces with two blanks between them, as many as fit into a line; below the first line as
/// `hanging`. A piece is broken only where it does not fit into a line of its own.
std::string pieces(std::string_view head, const std::vector<std::string>& texts, std::size_t width);

/// The lines of a text as they are, or, with a width, in lines that fit; what a line begins with in
/// blanks, the lines that it becomes begin with too.
std::string in_lines(std::string_view text, std::optional<std::size_t> width);

}  // namespace spark
