#include "config/yaml/diagnostic.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"

namespace spark::config {
namespace {

/// Code points of a source line that are shown; a longer line is cut around the caret.
constexpr std::size_t kShown = 100;
/// Of these, how many stand before the caret in a cut line.
constexpr std::size_t kShownBefore = 60;

/// One thing on the terminal for each code point or stray byte, none of them with a width of its
/// own, so that the caret stands below its character.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  while (!line.empty()) {
    const auto point = decode_utf8(line);
    const std::size_t size = point ? point->size : 1;
    if (line.front() == '\t') {
      cells.emplace_back(" ");
    } else if (!point || is_hidden(point->value)) {
      cells.emplace_back("?");
    } else {
      cells.emplace_back(line.substr(0, size));
    }
    line.remove_prefix(size);
  }
  return cells;
}

/// The part of a long line that `index` is in, so that showing it does not cost the whole line.
/// Moves `index` along.
std::string_view part_around(std::string_view line, std::size_t& index) {
  constexpr std::size_t kReach = 4 * kShown;  // a code point has at most 4 bytes
  std::size_t begin = index > kReach ? index - kReach : 0;
  const auto continues = [&] { return (static_cast<unsigned char>(line[begin]) & 0xC0) == 0x80; };
  while (begin > 0 && begin < index && continues()) ++begin;
  index -= begin;
  return line.substr(begin, index + kReach);
}

/// The source line and a caret below its column; nothing for an empty line.
std::string snippet(Where where, std::string_view source) {
  const auto whole = line_of(source, where.line);
  if (whole.empty()) return {};
  const auto before = whole.substr(0, static_cast<std::size_t>(std::max(where.column - 1, 0)));
  const auto line = without_passwords(whole);
  std::size_t index = std::min(without_passwords(before).size(), line.size());
  const std::string_view part = part_around(line, index);
  const auto cells = cells_of(part);
  const std::size_t caret = cells_of(part.substr(0, index)).size();
  // A line of bytes that are no text shows nothing.
  const auto unseen = std::ranges::count(cells, "?") - std::ranges::count(part, '?');
  if (unseen > 3 && unseen > std::ssize(cells) / 3) return {};

  const bool too_long = cells.size() > kShown;
  const std::size_t begin = too_long && caret > kShownBefore ? caret - kShownBefore : 0;
  const std::size_t end = std::min(cells.size(), begin + kShown);
  const std::string_view head = begin > 0 ? "..." : "";
  const std::string_view tail = end < cells.size() ? "..." : "";
  const auto first = cells.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto last = cells.begin() + static_cast<std::ptrdiff_t>(end);

  return fmt::format(" {:>4} | {}{}{}\n      | {:>{}}\n", where.line, head,
                     fmt::join(first, last, ""), tail, '^', head.size() + caret - begin + 1);
}

std::string headline(std::string_view file, Where where, std::string_view sort,
                     std::string_view message) {
  return fmt::format("{}:{}:{}: {}: {}", printable(file), where.line, where.column, sort, message);
}

}  // namespace

std::string render(
    const Diagnostic& diagnostic, std::string_view file, std::string_view source,
    const std::function<std::string(std::string_view, std::string_view)>& line_of_words) {
  const auto line = [&](std::string_view head, std::string_view words) {
    return line_of_words ? line_of_words(head, words) : fmt::format("{}{}\n", head, words);
  };
  const std::string_view sort = diagnostic.severity == Severity::kError ? "error" : "warning";
  std::string out =
      line("", fmt::format("{} [{}]", headline(file, diagnostic.where, sort, diagnostic.message),
                           diagnostic.id)) +
      snippet(diagnostic.where, source);
  for (const auto reason : lines_of(diagnostic.reason)) out += line("      = ", reason);
  for (const Related& related : diagnostic.related) {
    out += line("", headline(file, related.where, "note", related.message)) +
           snippet(related.where, source);
  }
  return out;
}

bool has_errors(const std::vector<Diagnostic>& diagnostics) {
  return std::ranges::any_of(diagnostics, [](const Diagnostic& diagnostic) {
    return diagnostic.severity == Severity::kError;
  });
}

}  // namespace spark::config
