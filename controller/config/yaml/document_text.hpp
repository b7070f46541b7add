#pragma once
// What can be said about the text of a file without reading YAML in it.

#include <cstddef>
#include <optional>
#include <string_view>

#include "config/yaml/diagnostic_list.hpp"

namespace spark::config {

/// The limit on a file's size. A cluster of hundreds of nodes is far below it.
inline constexpr std::size_t kLargestFileBytes = 256UL * 1024;

/// False, and reported, for a text that is too large or could mislead the parser or its reader:
/// other encodings, control characters, text that is shown otherwise than it is read. Directives
/// are reported, and reading can go on.
bool text_is_acceptable(std::string_view text, Findings& findings);

/// True when a quote begins at `pos` that the text never closes.
bool is_open_quote(std::string_view text, std::size_t pos);

/// The first quote that begins on this line or before and does not end on its own line: where the
/// parser stopped behind it, somebody forgot to close it.
std::optional<Where> quote_over_lines(std::string_view text, int line);

/// The last bracket before a place, on its line, that is not closed there.
std::optional<Where> open_bracket_before(std::string_view text, Where where);

/// The last character before `pos` that is neither blank nor on a line of comment only. `pos` must
/// not be inside a comment.
std::optional<std::size_t> content_before(std::string_view text, std::size_t pos);

/// True when a document begins at `pos` by a mark: "---" there, or "..." on the line before.
bool begins_document(std::string_view text, std::size_t pos);

/// The column of the first tab in the indentation of a line, both counted from 1. Empty: it has
/// none.
std::optional<int> tab_in_indentation(std::string_view text, int line);

/// True when a bracket begins at `pos` that the text never closes.
bool is_open_bracket(std::string_view text, std::size_t pos);

}  // namespace spark::config
