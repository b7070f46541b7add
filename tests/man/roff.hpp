#pragma once
// Roff: text with our marks as the source of a manual page, in the macros of man(7).
//
// The marks are those of cli/input/help_text.hpp: paragraphs with an empty line between them,
// code in backticks, and lines that begin with four blanks as they are.

#include <string>
#include <string_view>

namespace spark::test::man {

/// One line of prose, in which code is bold and what stands for a value (FILE, NODE) italic.
std::string inline_roff(std::string_view text);

/// The source of one page.
class Page {
 public:
  /// `name` as `man` finds it, `about` what `whatis` says of it.
  Page(std::string_view name, int section, std::string_view about);

  void heading(std::string_view title);
  void subheading(std::string_view title);
  /// Paragraphs.
  void prose(std::string_view text);
  /// A tag, and below it what it means. `tag` has marks too.
  void item(std::string_view tag, std::string_view text);
  /// Lines that are shown as they are.
  void verbatim(std::string_view lines);

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  /// Takes roff, in lines of a length that diffs show well.
  void fill(std::string_view roff);
  void begin_paragraph();

  std::string text_;
  bool below_heading_ = false;  ///< a paragraph begins there by itself
};

}  // namespace spark::test::man
