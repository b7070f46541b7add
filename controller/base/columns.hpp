#pragma once
// How wide a text is on a terminal, and a text in lines of at most that width.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace spark {

/// The columns that one line takes on a terminal: two for a wide character, none for a combining
/// one and for what paints text.
std::size_t columns(std::string_view text);

/// `text` followed by blanks up to `width` columns.
std::string padded(std::string_view text, std::size_t width);

/// The text without the blanks at its end.
std::string without_end_blanks(std::string text);

/// The text in lines of at most `width` columns, broken at blanks. What stands in backticks is a
/// command, and stays on one line where it fits on one. A longer word has a line of its own.
std::vector<std::string> broken(std::string_view text, std::size_t width);

/// As much of the text as fits into `width` columns; what is cut off is shown as `…`. The text is
/// of one tone.
std::string cut(std::string_view text, std::size_t width);

}  // namespace spark
