#include "config/yaml/other_text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "config/yaml/document_text.hpp"

namespace spark::config {
namespace {

using Places = std::vector<Where>;
using Lines = std::vector<std::string_view>;

/// The places that show what a text is, the first one first. Empty: it is not that.
using Find = Places (*)(std::string_view text, const Lines& lines, const Findings& findings);

std::string_view without_blanks(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  const auto last = line.find_last_not_of(" \t\r");
  return line.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

std::string_view without_comment(std::string_view line) {
  return line.starts_with('#') ? std::string_view{} : line.substr(0, line.find(" #"));
}

bool begins_in_any_case(std::string_view text, std::string_view head) {
  return ascii_lower(text.substr(0, head.size())) == head;
}

Where place(std::size_t index, std::size_t column = 0) {
  return {static_cast<int>(index) + 1, static_cast<int>(column) + 1};
}

/// The places of all lines that begin with one of the heads.
template <std::size_t kSize>
Places lines_that_begin(const Lines& lines, const std::array<std::string_view, kSize>& heads) {
  Places places;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool begins = std::ranges::any_of(
        heads, [&](std::string_view head) { return lines[i].starts_with(head); });
    if (begins) places.push_back(place(i));
  }
  return places;
}

/// The first line that is neither empty nor a comment.
std::optional<std::size_t> first_content(const Lines& lines, std::size_t from = 0) {
  for (std::size_t i = from; i < lines.size(); ++i) {
    const auto line = without_blanks(lines[i]);
    if (!line.empty() && !line.starts_with('#') && line != "---") return i;
  }
  return std::nullopt;
}

constexpr std::array<std::string_view, 2> kUtf16Marks{"\xff\xfe", "\xfe\xff"};

Places utf16(std::string_view text, const Lines& /*lines*/, const Findings& /*findings*/) {
  const bool is_marked = std::ranges::any_of(
      kUtf16Marks, [&](std::string_view mark) { return text.starts_with(mark); });
  return is_marked ? Places{{1, 1}} : Places{};
}

Places binary(std::string_view text, const Lines& /*lines*/, const Findings& /*findings*/) {
  constexpr std::size_t kLooked = 512;
  constexpr std::size_t kFew = 10;  // one in ten
  constexpr std::array<std::string_view, 5> kHeads{"\177ELF", "\x1f\x8b", "PK\x03\x04", "%PDF",
                                                   "\x89PNG"};
  const auto head = text.substr(0, kLooked);
  const auto controls = std::ranges::count_if(
      head, [](unsigned char c) { return c < ' ' && c != '\n' && c != '\r' && c != '\t'; });
  const bool is_binary =
      std::ranges::any_of(kHeads, [&](auto one) { return text.starts_with(one); }) ||
      static_cast<std::size_t>(controls) * kFew > head.size();
  return is_binary ? Places{{1, 1}} : Places{};
}

Places web_page(std::string_view /*text*/, const Lines& lines, const Findings& /*findings*/) {
  const auto first = first_content(lines);
  if (!first) return {};
  const auto line = without_blanks(lines[*first]);
  const bool is_page = begins_in_any_case(line, "<!doctype") || begins_in_any_case(line, "<html") ||
                       begins_in_any_case(line, "<?xml");
  return is_page ? Places{place(*first)} : Places{};
}

Places merge_conflict(std::string_view /*text*/, const Lines& lines, const Findings& /*findings*/) {
  constexpr std::array<std::string_view, 2> kMarks{"<<<<<<<", ">>>>>>>"};
  return lines_that_begin(lines, kMarks);
}

Places markdown(std::string_view /*text*/, const Lines& lines, const Findings& /*findings*/) {
  constexpr std::array<std::string_view, 2> kMarks{"```", "~~~"};
  return lines_that_begin(lines, kMarks);
}

/// "key = value".
bool is_assignment(std::string_view line) {
  const auto sign = std::min(line.find('='), line.size());
  const auto key = without_blanks(line.substr(0, sign));
  const auto in_key = [](char c) { return is_ascii_alnum(c) || c == '_' || c == '-' || c == '.'; };
  return sign < line.size() && !key.empty() && std::ranges::all_of(key, in_key);
}

/// It begins with an assignment, or with the name of a section.
Places toml(std::string_view /*text*/, const Lines& lines, const Findings& /*findings*/) {
  auto first = first_content(lines);
  if (!first) return {};
  const auto line = without_blanks(lines[*first]);
  if (line.starts_with('[') && line.ends_with(']')) first = first_content(lines, *first + 1);
  const bool is_toml = first && is_assignment(without_blanks(lines[*first]));
  return is_toml ? Places{place(*first)} : Places{};
}

/// Where an error is at one of its marks, or at the quote before it: a text may hold them.
Places template_text(std::string_view /*text*/, const Lines& lines, const Findings& findings) {
  Places places;
  bool is_wrong = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto line = without_comment(lines[i]);
    const auto column = std::min(line.find("{{"), line.find("{%"));
    if (column == std::string_view::npos) continue;
    places.push_back(place(i, column));
    const auto errors = findings.errors_on(static_cast<int>(i) + 1);
    is_wrong = is_wrong || std::ranges::any_of(errors, [&](const Where& error) {
                 return static_cast<std::size_t>(error.column) >= column;
               });
  }
  return is_wrong ? places : Places{};
}

/// "${NAME}", "$NAME" of capitals.
std::size_t find_variable(std::string_view line, std::size_t from) {
  for (auto at = line.find('$', from); at != std::string_view::npos; at = line.find('$', at + 1)) {
    const auto rest = line.substr(at + 1);
    const bool in_braces =
        rest.size() > 1 && rest[0] == '{' && (is_ascii_alnum(rest[1]) || rest[1] == '_');
    const bool in_capitals = !rest.empty() && (is_ascii_upper(rest[0]) || rest[0] == '_');
    if (in_braces || in_capitals) return at;
  }
  return std::string_view::npos;
}

struct OtherText {
  Find find;
  SpecId id;
  std::string_view message;
  std::string_view reason;
};

/// The first that fits counts.
constexpr std::array kOtherTexts{
    OtherText{utf16, SpecId::kBytes, "the file is UTF-16",
              "save it as UTF-8: iconv -f UTF-16 -t UTF-8 cluster.yaml > new.yaml"},
    OtherText{binary, SpecId::kBytes, "this is a binary file, not text",
              "give the name of the file that is meant"},
    OtherText{web_page, SpecId::kWrongType, "this is a web page, not YAML",
              "the server answered with a page in place of the file: download the file itself"},
    OtherText{
        merge_conflict, SpecId::kSyntax, "a merge conflict of git is not resolved",
        "keep one of the two sides, and delete the lines that begin with <<<<<<<, ======= and "
        ">>>>>>>"},
    OtherText{markdown, SpecId::kSyntax, "this line is of Markdown, not of the file",
              "delete the lines that begin with ``` or ~~~"},
    OtherText{
        template_text, SpecId::kSyntax, "this is a template that was not rendered",
        "nothing is put in place of {{ }} and {% %} here: render it first, as with Ansible or "
        "Helm, and take the result"},
    OtherText{toml, SpecId::kWrongType, "this looks like TOML or INI",
              "a key and its value have ': ' between them here, as in version: 1"},
};

/// A character that only looks like one of YAML.
struct Lookalike {
  char32_t first;
  char32_t last;
  std::string_view what;
  std::string_view reason;
};

constexpr std::string_view kNoQuotes = "write straight quotes, \" or ', or none";
constexpr std::string_view kHyphen = "write '-'";
constexpr std::string_view kBlank = "write a blank in its place";
constexpr std::array kLookalikes{
    Lookalike{0x2018, 0x201F, "a typographic quote", kNoQuotes},
    Lookalike{0xAB, 0xAB, "a typographic quote", kNoQuotes},
    Lookalike{0xBB, 0xBB, "a typographic quote", kNoQuotes},
    Lookalike{0x2010, 0x2015, "a typographic dash", kHyphen},
    Lookalike{0x2212, 0x2212, "a minus sign that is no '-'", kHyphen},
    Lookalike{0x2000, 0x200A, "a typographic space", kBlank},
    Lookalike{0x3000, 0x3000, "an ideographic space", kBlank},
    Lookalike{0xFF1A, 0xFF1A, "a full-width colon", "write ': '"},
    Lookalike{0xFF0C, 0xFF0C, "a full-width comma", "write ', '"},
};

const Lookalike* lookalike_of(char32_t point) {
  const auto* const found = std::ranges::find_if(
      kLookalikes, [&](const Lookalike& one) { return point >= one.first && point <= one.last; });
  return found == kLookalikes.end() ? nullptr : found;
}

/// What stands at an error's place, or the whole line where the parser stopped somewhere on it.
struct Piece {
  std::string_view line;
  Where where;  ///< of the error
  std::size_t begin = 0;
  std::size_t end = 0;
};

Piece piece_at(std::string_view line, Where where, bool is_syntax) {
  const auto begin =
      is_syntax ? 0 : std::min(static_cast<std::size_t>(where.column) - 1, line.size());
  const auto end = is_syntax ? line.size() : line.find_first_of(",]}", begin);
  return {line, where, begin, std::min(end, line.size())};
}

bool name_lookalike(const Piece& piece, Findings& findings) {
  for (auto at = piece.begin; at < piece.end;) {
    const auto point = decode_utf8(piece.line.substr(at));
    if (!point) return false;
    if (const auto* known = lookalike_of(point->value)) {
      findings.drop_errors(piece.where.line);
      findings.add_about_text(
          SpecId::kBytes, {piece.where.line, static_cast<int>(at) + 1},
          fmt::format("{} (U+{:04X})", known->what, static_cast<std::uint32_t>(point->value)),
          fmt::format("YAML takes it for text: {}", known->reason));
      return true;
    }
    at += point->size;
  }
  return false;
}

/// `others`: the lines on which no error is looked for, since the parser stopped.
bool name_shell_variable(const Piece& piece, const Lines& others, Findings& findings) {
  const auto at = find_variable(piece.line.substr(0, piece.end), piece.begin);
  if (at == std::string_view::npos) return false;
  // In a quote that is open it is text, and the quote is what is wrong.
  if (!others.empty() && std::ranges::count(piece.line.substr(0, at), '"') % 2 == 1) return false;
  constexpr std::size_t kMost = 3;
  std::vector<Related> related;
  for (std::size_t i = 0; i < others.size() && related.size() < kMost; ++i) {
    const auto there = find_variable(without_comment(others[i]), 0);
    const bool is_other = there != std::string_view::npos && place(i).line != piece.where.line;
    if (is_other) related.push_back({place(i, there), "and here"});
  }
  findings.drop_errors(piece.where.line);
  findings.add_about_text(SpecId::kSyntax, {piece.where.line, static_cast<int>(at) + 1},
                          "this is a variable of a shell",
                          "no variable is replaced here: write its value, or put the values in "
                          "first: envsubst < cluster.yaml > new.yaml",
                          std::move(related));
  return true;
}

}  // namespace

void name_other_text(std::string_view text, Findings& findings) {
  if (!findings.has_errors() || text.size() > kLargestFileBytes) return;
  const auto lines = lines_of(text);
  for (const OtherText& other : kOtherTexts) {
    const auto places = other.find(text, lines, findings);
    if (places.empty()) continue;
    constexpr std::size_t kMost = 3;
    std::vector<Related> related;
    for (std::size_t i = 1; i < places.size() && i <= kMost; ++i) {
      related.push_back({places[i], "and here"});
    }
    findings.drop_errors(0);
    findings.add_about_text(other.id, places.front(), std::string(other.message),
                            std::string(other.reason), std::move(related));
    return;
  }
  const bool is_syntax = findings.has(SpecId::kSyntax);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto line = without_comment(lines[i]);
    constexpr unsigned char kFirstBeyondAscii = 0x80;
    const bool is_plain = std::ranges::all_of(
        line, [](unsigned char c) { return c < kFirstBeyondAscii && c != '$'; });
    if (is_plain) continue;
    for (const Where& error : findings.errors_on(place(i).line)) {
      const auto piece = piece_at(line, error, is_syntax);
      if (name_lookalike(piece, findings) ||
          name_shell_variable(piece, is_syntax ? lines : Lines{}, findings)) {
        break;
      }
    }
  }
}

}  // namespace spark::config
