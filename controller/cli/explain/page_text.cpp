#include "cli/explain/page_text.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"

namespace spark::cli {
namespace {

constexpr std::string_view kIdHeading = "## SR-";
constexpr std::string_view kPartLabel = "- **";

/// The code that begins at `at`, with its backticks.
std::string_view code_at(std::string_view text, std::size_t at) {
  const auto marks = std::min(text.find_first_not_of('`', at), text.size()) - at;
  const auto end = text.find(text.substr(at, marks), at + marks);
  return end == std::string_view::npos ? text.substr(at) : text.substr(at, end + marks - at);
}

struct PageLink {
  std::string_view text;
  std::size_t size = 0;  ///< with its target; 0: there is none
};

/// "[text](target)".
PageLink link_at(std::string_view text, std::size_t at) {
  const auto middle = text.find("](", at);
  if (text[at] != '[' || middle == std::string_view::npos) return {};
  const auto end = text.find(')', middle);
  if (end == std::string_view::npos) return {};
  return {.text = text.substr(at + 1, middle - at - 1), .size = end + 1 - at};
}

std::string_view without_outer_blanks(std::string_view text) {
  const auto begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

/// A line below the first one of a paragraph or item is the same text.
void append_line(std::string& text, std::string_view line) {
  const auto more = without_outer_blanks(line);
  if (more.empty()) return;
  if (!text.empty()) text += ' ';
  text += more;
}

/// The parts of the lines below a heading.
class SectionParts {
 public:
  void take(std::string_view line) {
    const auto end = line.find(".**");
    if (line.starts_with(kPartLabel) && end != std::string_view::npos) {
      finish();
      label_ = line.substr(kPartLabel.size(), end - kPartLabel.size());
      append_line(text_, line.substr(end + 3));
    } else if (!line.starts_with("```")) {
      append_line(text_, line);
    }
  }

  std::vector<ExplainedPart> all() {
    finish();
    return std::move(parts_);
  }

 private:
  void finish() {
    if (!text_.empty()) parts_.push_back({label_, plain_text(text_)});
    text_.clear();
  }

  std::string label_ = "Means";
  std::string text_;
  std::vector<ExplainedPart> parts_;
};

}  // namespace

std::string anchor_of(std::string_view heading) {
  std::string anchor;
  for (const char character : ascii_lower(heading)) {
    if (character == ' ') anchor += '-';
    if (is_ascii_alnum(character) || character == '-' || character == '_') anchor += character;
  }
  return anchor;
}

std::string plain_text(std::string_view markdown) {
  std::string text;
  for (std::size_t at = 0; at < markdown.size();) {
    if (markdown[at] == '`') {
      const auto code = code_at(markdown, at);
      text += code;
      at += code.size();
    } else if (const auto link = link_at(markdown, at); link.size > 0) {
      text += plain_text(link.text);
      at += link.size;
    } else {
      if (markdown[at] != '*') text += markdown[at];
      ++at;
    }
  }
  return text;
}

std::vector<PageSection> sections_of(std::string_view page) {
  std::vector<PageSection> sections;
  SectionParts parts;
  bool inside = false;
  const auto finish = [&] {
    if (inside) sections.back().parts = parts.all();
    inside = false;
  };
  for (const auto line : lines_of(page)) {
    if (!line.starts_with('#')) {
      if (inside) parts.take(line);
      continue;
    }
    finish();
    const auto colon = line.find(": ");
    // "## SR-GATE: …" is about many ids.
    const bool is_id = line.starts_with(kIdHeading) && colon != std::string_view::npos &&
                       is_ascii_digit(line[colon - 1]);
    if (!is_id) continue;
    const auto heading = line.substr(3);
    sections.push_back({.id = std::string(heading.substr(0, colon - 3)),
                        .title = plain_text(line.substr(colon + 2)),
                        .anchor = anchor_of(heading)});
    inside = true;
  }
  finish();
  return sections;
}

std::vector<std::vector<std::string>> rows_of(std::string_view page, std::string_view first) {
  std::vector<std::vector<std::string>> rows;
  for (auto line : lines_of(page)) {
    constexpr std::string_view kEdge = "| ";
    if (!line.starts_with(kEdge) || !line.substr(kEdge.size()).starts_with(first)) continue;
    std::vector<std::string> cells;
    line.remove_prefix(1);
    for (auto end = line.find('|'); end != std::string_view::npos; end = line.find('|')) {
      cells.push_back(plain_text(without_outer_blanks(line.substr(0, end))));
      line.remove_prefix(end + 1);
    }
    rows.push_back(std::move(cells));
  }
  return rows;
}

std::string item_of(std::string_view page, std::string_view begin) {
  std::string text;
  for (const auto line : lines_of(page)) {
    if (text.empty()) {
      const bool is_it = line.starts_with("- ") && line.substr(2).starts_with(begin);
      if (is_it) append_line(text, line.substr(2));
    } else if (line.starts_with("  ")) {
      append_line(text, line);
    } else {
      break;
    }
  }
  return plain_text(text);
}

}  // namespace spark::cli
