#include "base/lines.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/columns.hpp"
#include "base/text.hpp"

namespace spark {
namespace {

/// A text has at least this room, however long what stands before it is.
constexpr std::size_t kLeastRoom = 20;

std::string blanks(std::size_t count) { return std::string(count, ' '); }

std::size_t room_behind(std::size_t used, std::size_t width) {
  return width > used + kLeastRoom ? width - used : kLeastRoom;
}

}  // namespace

std::size_t last_line_columns(std::string_view text) {
  const auto end = text.rfind('\n');
  return columns(end == std::string_view::npos ? text : text.substr(end + 1));
}

std::string hanging(std::string_view head, std::string_view text, std::size_t width) {
  const auto indent = last_line_columns(head);
  std::string out(head);
  bool first = true;
  for (const auto& line : broken(text, room_behind(indent, width))) {
    out += fmt::format("{}{}\n", first ? "" : blanks(indent), line);
    first = false;
  }
  return first ? out + "\n" : out;
}

std::string row(std::string_view left, std::string_view right, std::size_t width) {
  const auto used = columns(left);
  const auto wanted = columns(right);
  if (right.empty()) return fmt::format("{}\n", left);
  if (used + 2 + wanted <= width) {
    return fmt::format("{}{}{}\n", left, blanks(width - used - wanted), right);
  }
  return fmt::format("{}\n{}{}\n", left, blanks(width > wanted ? width - wanted : 0), right);
}

std::string pieces(std::string_view head, const std::vector<std::string>& texts,
                   std::size_t width) {
  const auto indent = last_line_columns(head);
  const auto room = room_behind(indent, width);
  std::string out(head);
  std::size_t used = 0;
  for (const auto& text : texts) {
    bool first = true;
    for (const auto& line : broken(text, room)) {
      const auto size = columns(line);
      if (used > 0 && (!first || used + 2 + size > room)) {
        out += "\n" + blanks(indent);
        used = 0;
      }
      out += (used > 0 ? "  " : "") + line;
      used += (used > 0 ? 2 : 0) + size;
      first = false;
    }
  }
  return out + "\n";
}

std::string in_lines(std::string_view text, std::optional<std::size_t> width) {
  if (!width) return std::string(text);
  std::string out;
  for (const auto line : lines_of(text)) {
    const auto indent = std::min(line.find_first_not_of(' '), line.size());
    out += hanging(line.substr(0, indent), line.substr(indent), *width);
  }
  return out;
}

}  // namespace spark
