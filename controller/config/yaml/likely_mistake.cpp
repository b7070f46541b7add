#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.hpp"
#include "config/yaml/advice.hpp"

namespace spark::config {
namespace {

bool is_key_character(char c) { return is_ascii_alnum(c) || c == '_' || c == '-' || c == '.'; }

/// A line of the file without what is around its content.
struct Line {
  int number = 0;
  std::size_t begin = 0;        ///< blanks before the first mark of a list item, or the content
  std::size_t indentation = 0;  ///< of the content, behind the mark of a list item
  std::string_view content;
};

Line line_at(std::string_view source, int number) {
  Line line{.number = number, .begin = 0, .indentation = 0, .content = source};
  const auto drop = [&line](std::size_t count) {
    line.indentation += count;
    line.content.remove_prefix(count);
  };
  const auto drop_blanks = [&] {
    drop(std::min(line.content.find_first_not_of(' '), line.content.size()));
  };
  drop_blanks();
  line.begin = line.indentation;
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

Where place_of(const Line& line) { return {line.number, static_cast<int>(line.indentation) + 1}; }

/// "-{ ends: ... }".
std::optional<LikelyMistake> of_glued_dash(const Line& line) {
  const auto& text = line.content;
  const bool is_glued = text.size() > 1 && text[0] == '-' &&
                        (std::string_view("{[\"'").contains(text[1]) ||
                         (is_ascii_alnum(text[1]) && text.contains(": ")));
  if (!is_glued) return std::nullopt;
  return LikelyMistake{.where = place_of(line),
                       .message = "a blank is missing after '-'",
                       .reason = fmt::format("YAML takes both for one text: write - {}",
                                             printable(text.substr(1), 30))};
}

/// "cluster lab" above a line with a key.
std::optional<LikelyMistake> of_missing_colon(const Line& line) {
  const auto end = std::ranges::find_if_not(line.content, is_key_character);
  const auto size = static_cast<std::size_t>(end - line.content.begin());
  const auto rest = line.content.substr(size);
  if (size == 0 || line.content.contains(':') || !(rest.empty() || rest.starts_with(' '))) {
    return std::nullopt;
  }
  const auto key = line.content.substr(0, size);
  return LikelyMistake{.where = {line.number, static_cast<int>(line.indentation + size) + 1},
                       .message = fmt::format("a ':' is missing after '{}'", printable(key)),
                       .reason = fmt::format("write {}:{}", printable(key), printable(rest, 30))};
}

LikelyMistake of_glued(const Line& line, const GluedKey& glued) {
  return {.where = place_of(line),
          .message = fmt::format("a blank is missing after '{}:'", printable(glued.key)),
          .reason = advice_on(glued)};
}

/// The key above `here` that must be in one map with it, where no map that is open there begins in
/// the column of `here`. Empty: one does.
template <class LineAt>
std::optional<Line> nearest_of_other_column(LineAt line_at_number, const Line& here, int above) {
  std::optional<Line> nearest;
  std::size_t level = SIZE_MAX;
  for (int at = above; at > 0; --at) {
    const Line each = line_at_number(at);
    if (each.content.empty() || each.begin >= level) continue;
    level = each.begin;
    if (each.begin == here.begin || each.indentation == here.begin) return std::nullopt;
    if (each.begin < here.begin) break;
    if (!key_of(each).empty()) nearest = each;
  }
  return nearest;
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
  for (const Line& each : {before, here}) {
    if (auto dash = of_glued_dash(each)) return dash;
  }
  if (key_of(here).empty()) return std::nullopt;
  if (auto colon = of_missing_colon(before)) return colon;

  const auto sibling = nearest_of_other_column(line, here, above);
  if (sibling) {
    const bool is_other_odd = sibling->indentation % 2 > here.indentation % 2;
    return LikelyMistake{
        .where = place_of(is_other_odd ? *sibling : here),
        .message = fmt::format("'{}' and '{}' do not begin in one column",
                               printable(key_of(*sibling)), printable(key_of(here))),
        .reason =
            fmt::format("'{}' of line {} is in column {} and '{}' of line {} in column {}: "
                        "give both the same",
                        printable(key_of(*sibling)), sibling->number, sibling->indentation + 1,
                        printable(key_of(here)), here.number, here.indentation + 1)};
  }
  if (here.indentation <= before.indentation || !has_value(before)) return std::nullopt;
  return LikelyMistake{
      .where = place_of(here),
      .message = fmt::format("'{}' is indented deeper than '{}' above it", printable(key_of(here)),
                             printable(key_of(before))),
      .reason = fmt::format("'{}' has its value on its line, and no keys below it: begin '{}' in "
                            "column {}, as line {} does",
                            printable(key_of(before)), printable(key_of(here)),
                            before.indentation + 1, above)};
}

}  // namespace spark::config
