#pragma once
// Text as people meet it: UTF-8, what may reach a terminal, and "did you mean".

#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spark {

// ASCII only, whatever the locale.
constexpr bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_ascii_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_ascii_upper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_ascii_hex(char c) {
  return is_ascii_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
/// Blank to tilde: each has one column and shows itself.
constexpr bool is_ascii_print(char c) { return c >= ' ' && c <= '~'; }
constexpr bool is_ascii_alnum(char c) {
  return is_ascii_digit(c) || is_ascii_lower(c) || is_ascii_upper(c);
}

/// Not empty, and nothing else is in it.
inline bool is_all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// One code point at the head of a text.
struct CodePoint {
  char32_t value = 0;
  std::size_t size = 0;  ///< bytes it takes
};

/// The code point that `text` begins with. Empty when the bytes are not UTF-8 (overlong forms,
/// surrogates and numbers above U+10FFFF are not), or when there are none.
std::optional<CodePoint> decode_utf8(std::string_view text);

/// True for code points that are not seen, or change how other text is seen or read: C0 and C1
/// controls, blanks that are none to YAML, line and paragraph separators, bidirectional overrides
/// and isolates, the byte order mark, noncharacters.
bool is_hidden(char32_t code_point);

/// The text with every hidden code point and every byte that is not UTF-8 written as an escape
/// (`\x1b`, `\u202e`), cut after `limit` code points, so that it can go to any terminal.
std::string printable(std::string_view text, std::size_t limit = std::string_view::npos);

/// The value of a resource as people read it.
inline std::string or_absent(const std::optional<std::string>& value) {
  return value.value_or("absent");
}

/// A name of JSON as people read it: "not enforced" for "not_enforced".
std::string in_words(std::string_view name);

/// printable() in single quotes, cut to what fits into one clause.
std::string in_quotes(std::string_view text);

/// The text with `***` in place of what is secret in a URL: the password of `ssh://me:secret@host`,
/// and of http and https the name too where it stands alone, since it may be a token.
std::string without_passwords(std::string_view text);

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate that `word` was most likely meant to be. Empty when none is near.
std::optional<std::string_view> closest(std::string_view word,
                                        std::span<const std::string_view> candidates);

/// "eth0" of "/sys/class/net/eth0".
inline std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

/// One line of a text, counted from 1, without its end. Empty when there are fewer.
std::string_view line_of(std::string_view text, int number);

/// All lines of a text, without their ends.
std::vector<std::string_view> lines_of(std::string_view text);

/// What stands between the separators; of an empty text: one part, which is empty.
std::vector<std::string_view> split(std::string_view text, char separator);

// What they return lies in the text: one that ends with the expression leaves nothing to look at.
template <std::same_as<std::string> T>
void line_of(T&& text, int number) = delete;
template <std::same_as<std::string> T>
void lines_of(T&& text) = delete;
template <std::same_as<std::string> T>
void split(T&& text, char separator) = delete;

/// Whether a text that is not empty stands between the separators of a list.
bool has_item(std::string_view list, char separator, std::string_view item);

/// A to Z as a to z.
std::string ascii_lower(std::string_view text);

/// Whether a text has that name of a node: "spark1" is in "spark1:0 answers", and not in "spark10
/// answers".
bool has_name(std::string_view text, std::string_view name);

/// "3 changes", "1 change", "2 switches".
std::string counted(std::size_t count, std::string_view noun);

/// "a", "a and b", "a, b and c".
std::string listed(const std::vector<std::string>& names, std::string_view conjunction = "and");

/// The text without blanks and tabs at its ends, runs of them inside folded to one blank.
std::string fold_blanks(std::string_view text);

}  // namespace spark
