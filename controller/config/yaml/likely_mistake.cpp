#include "config/yaml/likely_mistake.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"

namespace spark::config {
namespace {

bool is_key_character(char c) { return is_ascii_alnum(c) || c == '_' || c == '-' || c == '.'; }

/// A line of the file without what is around its content.
struct Line {
  int number = 0;
  std::size_t indentation = 0;  ///< of the content, behind the mark of a list item
  std::string_view content;
};

Line line_at(std::string_view source, int number) {
  Line line{.number = number, .indentation = 0, .content = source};
  const auto drop = [&line](std::size_t count) {
    line.indentation += count;
    line.content.remove_prefix(count);
  };
  const auto drop_blanks = [&] {
    drop(std::min(line.content.find_first_not_of(' '), line.content.size()));
  };
  drop_blanks();
  while (line.content.starts_with("- ")) {
    drop(2);
    drop_blanks();
  }
  if (line.content.starts_with('#')) line.content = {};
  const auto comment = line.content.find(" #");
  line.content = line.content.substr(0, comment);
  const auto last = line.content.find_last_not_of(" \t\r");
  line.content = line.content.substr(0, last == std::string_view::npos ? 0 : last + 1);
  return line;
}

/// The key that a line begins with; empty: it begins with none.
std::string_view key_of(const Line& line) {
  const auto end = std::ranges::find_if_not(line.content, is_key_character);
  const auto size = static_cast<std::size_t>(end - line.content.begin());
  const auto rest = line.content.substr(size);
  return rest == ":" || rest.starts_with(": ") ? line.content.substr(0, size) : std::string_view{};
}

bool has_value(const Line& line) {
  const auto key = key_of(line);
  return !key.empty() && line.content.size() > key.size() + 1;
}

LikelyMistake of_glued(const Line& line, const GluedKey& glued) {
  return {.where = {line.number, static_cast<int>(line.indentation) + 1},
          .message = fmt::format("a blank is missing after '{}:'", printable(glued.key)),
          .reason = advice_on(glued)};
}

}  // namespace

std::optional<GluedKey> glued_key(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  const GluedKey glued{text.substr(0, colon), text.substr(colon + 1)};
  constexpr std::array<std::string_view, 3> kKeysOfSmallNumbers{"version", "number", "namespace"};
  const bool is_cage =
      glued.value.size() <= 2 && std::ranges::all_of(glued.value, is_ascii_digit) &&
      std::ranges::find(kKeysOfSmallNumbers, glued.key) == kKeysOfSmallNumbers.end();
  const bool fits = std::ranges::all_of(glued.key, is_key_character) && !glued.value.empty() &&
                    glued.value.front() != ' ' && glued.value.front() != ':' &&
                    !glued.value.starts_with("//");
  return fits && !is_cage ? std::optional(glued) : std::nullopt;
}

std::string advice_on(const GluedKey& glued) {
  const auto value = glued.value.substr(0, glued.value.find(' '));
  return fmt::format("YAML takes both for one text: write {}: {}", printable(glued.key, 30),
                     printable(value, 30));
}

std::optional<LikelyMistake> likely_mistake(std::string_view text, int number) {
  const auto lines = lines_of(text);
  if (number < 1 || static_cast<std::size_t>(number) > lines.size()) return std::nullopt;
  const auto line = [&](int at) { return line_at(lines[static_cast<std::size_t>(at) - 1], at); };
  int above = number - 1;
  while (above > 0 && line(above).content.empty()) --above;
  if (above == 0) return std::nullopt;

  // The text goes on over all lines that are glued.
  std::optional<LikelyMistake> first;
  for (int at = above; at > 0; --at) {
    const auto glued = glued_key(line(at).content);
    if (!glued) break;
    first = of_glued(line(at), *glued);
  }
  if (first) return first;

  const Line here = line(number);
  const Line before = line(above);
  if (key_of(here).empty() || here.indentation <= before.indentation || !has_value(before)) {
    return std::nullopt;
  }
  return LikelyMistake{
      .where = {number, static_cast<int>(here.indentation) + 1},
      .message = fmt::format("'{}' is indented deeper than '{}' above it", printable(key_of(here)),
                             printable(key_of(before))),
      .reason = fmt::format("'{}' has its value on its line, and no keys below it: begin '{}' in "
                            "column {}, as line {} does",
                            printable(key_of(before)), printable(key_of(here)),
                            before.indentation + 1, above)};
}

}  // namespace spark::config
