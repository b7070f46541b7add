#include "man/roff.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/input/verb.hpp"

namespace spark::test::man {
namespace {

// mandoc warns of a page without a date. This one changes when the manual as a whole does.
constexpr std::string_view kDate = "2026-11-23";
// mandoc warns of lines beyond 80 bytes.
constexpr std::size_t kColumns = 78;

constexpr std::string_view kComment =
    ".\\\" Made by tests/man from the program's own tables. To write it again:\n"
    ".\\\"   SPARK_UPDATE_GOLDEN=1 build/dev/tests/man_tests\n";

enum class Font : bool { kProse, kCode };

std::string escaped(char c, Font font) {
  switch (c) {
    case '\\':
      return "\\e";
    case '\'':
      return "\\(aq";
    case '`':
      return "\\(ga";
    case '^':
      return "\\(ha";
    case '~':
      return "\\(ti";
    case '-':
      return font == Font::kCode ? "\\-" : "-";
    default:
      if (static_cast<unsigned char>(c) >= 0x80) throw std::invalid_argument("a page is ASCII");
      return {c};
  }
}

std::string escaped(std::string_view text, Font font) {
  std::string roff;
  for (const char c : text) roff += escaped(c, font);
  return roff;
}

/// FILE, NODE, and what else stands for a value.
bool is_placeholder(std::string_view word) {
  constexpr std::array<std::string_view, 8> kOthers{"NAME", "INTERFACE", "KEY",      "CAGE",
                                                    "KIND", "VERB",      "VARIABLE", "OPTION"};
  if (std::ranges::find(kOthers, word) != kOthers.end()) return true;
  const auto has_it = [&](std::span<const cli::OptionRow> rows) {
    return std::ranges::any_of(rows, [&](const cli::OptionRow& row) {
      return row.value != &cli::Value::kNone && row.value->name == word;
    });
  };
  return has_it(cli::common_options()) ||
         std::ranges::any_of(cli::verbs(),
                             [&](const cli::VerbSpec* verb) { return has_it(verb->options.rows); });
}

bool is_word(char c) { return is_ascii_alnum(c) || c == '_'; }

/// "spark-reconcile-plan(1)".
bool is_page(std::string_view code) {
  return code.size() > 3 && code.ends_with(')') && code[code.size() - 3] == '(' &&
         is_ascii_digit(code[code.size() - 2]);
}

/// Text in fonts, as roff that names a font only where it changes.
class Fonts {
 public:
  void add(char font, std::string_view roff) {
    if (std::exchange(font_, font) != font) roff_ += fmt::format("\\f{}", font);
    roff_ += roff;
  }
  std::string end() {
    add('R', "");
    return std::move(roff_);
  }

 private:
  char font_ = 'R';
  std::string roff_;
};

void add_code(Fonts& fonts, std::string_view code) {
  if (is_page(code)) {
    fonts.add('B', escaped(code.substr(0, code.size() - 3), Font::kCode));
    fonts.add('R', code.substr(code.size() - 3));
    return;
  }
  while (!code.empty()) {
    const auto* const end = std::ranges::find_if_not(code, is_word);
    const auto word =
        code.substr(0, std::max<std::size_t>(1, static_cast<std::size_t>(end - code.begin())));
    fonts.add(is_placeholder(word) ? 'I' : 'B', escaped(word, Font::kCode));
    code.remove_prefix(word.size());
  }
}

/// A path or an option outside of code: no line ends in it.
bool is_technical(std::string_view word) {
  return word.starts_with('-') || word.contains('/') || word.contains("spark-");
}

std::string prose_roff(std::string_view text) {
  std::string roff;
  while (!text.empty()) {
    const auto size = std::min(text.find(' ') + 1, text.size());
    const auto word = text.substr(0, size == 0 ? text.size() : size);
    roff += escaped(word, is_technical(word) ? Font::kCode : Font::kProse);
    text.remove_prefix(word.size());
  }
  return roff;
}

bool ends_sentence(std::string_view word) { return word.ends_with('.') || word.ends_with('?'); }

/// A line of roff must not begin like a request.
std::string as_line(const std::string& line) {
  return line.starts_with('.') || line.starts_with('\'') ? "\\&" + line : line;
}

}  // namespace

std::string inline_roff(std::string_view text) {
  Fonts fonts;
  for (bool is_code = false; !text.empty(); is_code = !is_code) {
    const auto size = std::min(text.find('`'), text.size());
    const auto part = text.substr(0, size);
    if (is_code) {
      add_code(fonts, part);
    } else if (!part.empty()) {
      fonts.add('R', prose_roff(part));
    }
    text.remove_prefix(std::min(size + 1, text.size()));
  }
  return fonts.end();
}

Page::Page(std::string_view name, int section, std::string_view about) {
  constexpr std::array<std::string_view, 9> kManuals{
      "", "User Commands", "", "", "", "File Formats", "", "", "System Administration"};
  std::string title(name);
  std::ranges::transform(title, title.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  text_ = fmt::format("{}.TH {} {} {} spark\\-reconcile \"{}\"\n", kComment,
                      escaped(title, Font::kCode), section, kDate,
                      kManuals.at(static_cast<std::size_t>(section)));
  // Left-aligned, and no word is divided: paths and commands are to be copied.
  text_ += ".ad l\n.nh\n";
  heading("NAME");
  fill(fmt::format("{} \\- {}", escaped(name, Font::kCode), inline_roff(about)));
}

void Page::heading(std::string_view title) {
  text_ += fmt::format(".SH {}\n", title);
  below_heading_ = true;
}

void Page::subheading(std::string_view title) {
  text_ += fmt::format(".SS {}\n", inline_roff(title));
  below_heading_ = true;
}

void Page::begin_paragraph() {
  if (!std::exchange(below_heading_, false)) text_ += ".PP\n";
}

void Page::fill(std::string_view roff) {
  std::string line;
  const auto end_line = [&] {
    if (!line.empty()) text_ += as_line(std::exchange(line, {})) + "\n";
  };
  for (auto rest = roff; !rest.empty();) {
    const auto size = std::min(rest.find(' '), rest.size());
    const auto word = rest.substr(0, size);
    if (line.size() + 1 + word.size() > kColumns) end_line();
    line += (line.empty() ? "" : " ") + std::string(word);
    if (ends_sentence(word)) end_line();
    rest.remove_prefix(std::min(size + 1, rest.size()));
  }
  end_line();
}

void Page::prose(std::string_view text) {
  constexpr std::string_view kVerbatim = "    ";
  std::string paragraph;
  std::string shown;
  const auto end = [&] {
    if (!paragraph.empty()) {
      begin_paragraph();
      fill(inline_roff(std::exchange(paragraph, {})));
    }
    if (!shown.empty()) verbatim(std::exchange(shown, {}));
  };
  for (const auto line : lines_of(text)) {
    if (line.starts_with(kVerbatim)) {
      if (!paragraph.empty()) end();
      shown += std::string(line.substr(kVerbatim.size())) + "\n";
    } else if (line.empty()) {
      end();
    } else {
      paragraph += (paragraph.empty() ? "" : " ") + std::string(line);
    }
  }
  end();
}

void Page::item(std::string_view tag, std::string_view text) {
  below_heading_ = false;
  text_ += fmt::format(".TP\n{}\n", as_line(inline_roff(tag)));
  fill(inline_roff(text));
}

void Page::verbatim(std::string_view lines) {
  begin_paragraph();
  text_ += ".RS 4\n.EX\n";
  for (const auto line : lines_of(lines)) {
    text_ += as_line(escaped(line, Font::kCode)) + "\n";
  }
  // .EE divides words again.
  text_ += ".EE\n.nh\n.RE\n";
}

}  // namespace spark::test::man
