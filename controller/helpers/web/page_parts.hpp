#pragma once
// page_parts: what the sections of the page are made of.

#include <string>
#include <string_view>
#include <vector>

namespace spark::helpers {

/// Rows of cells that are HTML already; on a phone each cell stands below the one before, behind
/// its heading.
class Table {
 public:
  explicit Table(std::vector<std::string_view> headings) : headings_(std::move(headings)) {}

  void row(const std::vector<std::string>& cells) { add(cells, false); }
  /// The first cell says what the row is of.
  void row_of(const std::vector<std::string>& cells) { add(cells, true); }

  [[nodiscard]] std::string html() const;

 private:
  void add(const std::vector<std::string>& cells, bool has_heading);

  std::vector<std::string_view> headings_;
  std::string rows_;
};

/// Each takes a text but for `content`, which is HTML.
std::string card(std::string_view title, std::string_view content);
std::string sentence(std::string_view text);
std::string tag(std::string_view tone, std::string_view word);
/// In the font of names and numbers; empty for an empty text.
std::string mono(std::string_view text);
/// Below what stands before it; empty for an empty text.
std::string small(std::string_view text);
/// A sign that people see, and the words that a screen reader says in its place.
std::string sign_and_words(std::string_view sign_html, std::string_view words);

}  // namespace spark::helpers
