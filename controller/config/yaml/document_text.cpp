#include "config/yaml/document_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"

namespace spark::config {
namespace {

struct HiddenCharacter {
  std::string_view name;
  std::string_view reason;
};

HiddenCharacter hidden_character(char32_t point) {
  constexpr std::u32string_view kBlanks = U"\u00A0\u202F";
  constexpr std::u32string_view kLineEnds = U"\u000B\u000C\u0085\u2028\u2029";
  if (kBlanks.contains(point)) {
    return {"no-break space",
            "it looks like a blank, and is none to YAML: write a blank in its place, and in that "
            "of each other one"};
  }
  if (kLineEnds.contains(point)) {
    return {"hidden character", "it ends a line to some readers: end the line there, or delete it"};
  }
  return {"hidden character",
          "it cannot be seen, or makes the text around it look other than it is: delete it"};
}

/// The place of the quote that closes the one at `pos`. Empty: none does.
std::optional<std::size_t> end_of_quote(std::string_view text, std::size_t pos) {
  const char quote = text[pos];
  const std::string_view stops = quote == '"' ? "\"\\" : "'";
  for (auto at = text.find_first_of(stops, pos + 1); at != std::string_view::npos;
       at = text.find_first_of(stops, at + 2)) {
    const bool escapes = text[at] == '\\' || (quote == '\'' && text.substr(at).starts_with("''"));
    if (!escapes) return at;
  }
  return std::nullopt;
}

/// Inside a plain text, a quote is an apostrophe.
bool begins_value(std::string_view text, std::size_t at) {
  const auto before = text.substr(0, at).find_last_not_of(" \t");
  if (before == std::string_view::npos) return true;
  const bool is_apart = before + 1 < at;
  return std::string_view("\n[{,:").contains(text[before]) ||
         (is_apart && (text[before] == '-' || text[before] == '?'));
}

/// Inside a plain text, '#' is a character.
bool begins_comment(std::string_view text, std::size_t at) {
  return at == 0 || std::string_view(" \t\n").contains(text[at - 1]);
}

}  // namespace

bool text_is_acceptable(std::string_view text, Findings& findings) {
  if (text.size() > kLargestFileBytes) {
    findings.add(SpecId::kLimit, {1, 1},
                 fmt::format("the file is larger than {} KiB", kLargestFileBytes / 1024),
                 "nothing of it is used: see that it is the cluster's file, and shorten it");
    return false;
  }
  Where where{1, 1};
  const auto refuse = [&](std::string message, std::string reason) {
    findings.add(SpecId::kBytes, where, std::move(message), std::move(reason));
    return false;
  };
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool line_ends = byte == '\n';
    const bool harmless = (byte >= 0x20 && byte < 0x7F) || line_ends || byte == '\t' ||
                          (byte == '\r' && text.substr(i + 1).starts_with('\n'));
    // The parser takes some directives without a word, also after the document.
    if (byte == '%' && where.column == 1) {
      findings.add_about_text(SpecId::kDirective, where, "a directive is not allowed",
                              "delete the line that begins with '%'");
    }
    std::size_t size = 1;
    if (!harmless) {
      if (byte == '\r') {
        return refuse("a carriage return without a line feed",
                      "save the file with the line ends of Unix (LF) or Windows (CR LF)");
      }
      const auto point = decode_utf8(text.substr(i));
      if (!point) {
        return refuse(fmt::format("byte 0x{:02x} is not UTF-8", byte),
                      "save the file as UTF-8 text");
      }
      if (point->value == 0xFEFF && i == 0) {
        return refuse("the file begins with a byte order mark",
                      "save it as UTF-8 without a byte order mark (BOM)");
      }
      if (is_hidden(point->value)) {
        const auto [name, reason] = hidden_character(point->value);
        return refuse(fmt::format("{} U+{:04X}", name, static_cast<std::uint32_t>(point->value)),
                      std::string(reason));
      }
      size = point->size;
    }
    i += size;
    where.column += static_cast<int>(size);
    if (line_ends) where = {where.line + 1, 1};
  }
  return true;
}

bool is_open_quote(std::string_view text, std::size_t pos) {
  const bool is_quote = pos < text.size() && (text[pos] == '"' || text[pos] == '\'');
  return is_quote && !end_of_quote(text, pos);
}

std::optional<Where> quote_over_lines(std::string_view text, int line) {
  Where where{1, 1};
  std::size_t line_start = 0;
  for (std::size_t at = 0; at < text.size() && where.line <= line; ++at) {
    const char c = text[at];
    if (c == '\n') {
      ++where.line;
      line_start = at + 1;
    } else if (c == '#' && begins_comment(text, at)) {
      at = std::min(text.find('\n', at), text.size()) - 1;
    } else if ((c == '"' || c == '\'') && begins_value(text, at)) {
      const auto end = end_of_quote(text, at);
      if (!end || text.substr(at, *end - at).contains('\n')) {
        where.column = static_cast<int>(at - line_start) + 1;
        return where;
      }
      at = *end;
    }
  }
  return std::nullopt;
}

std::optional<Where> open_bracket_before(std::string_view text, Where where) {
  const auto line = line_of(text, where.line);
  int closed = 0;
  for (int column = where.column - 1; column > 0; --column) {
    const char c = line[static_cast<std::size_t>(column) - 1];
    if (c == ']' || c == '}') ++closed;
    if ((c == '[' || c == '{') && closed-- == 0) return Where{where.line, column};
  }
  return std::nullopt;
}

std::optional<std::size_t> content_before(std::string_view text, std::size_t pos) {
  // A comment ends with its line, so none is before a `pos` on the same line. Without this each
  // item of one long line would be answered by a search through all before it.
  const bool in_text = pos < text.size();
  while (pos > 0) {
    const auto end = text.find_last_not_of(" \t\r\n", pos - 1);
    if (end == std::string_view::npos) break;
    if (in_text && text.substr(end, pos - end).find('\n') == std::string_view::npos) return end;
    const auto line_start = text.rfind('\n', end) + 1;  // npos + 1 is 0
    if (text[text.find_first_not_of(" \t", line_start)] != '#') return end;
    pos = line_start;
  }
  return std::nullopt;
}

bool begins_document(std::string_view text, std::size_t pos) {
  if (text.substr(pos).starts_with("---")) return true;
  const auto end = content_before(text, pos);
  if (!end) return false;
  const auto line_start = text.rfind('\n', *end) + 1;  // npos + 1 is 0
  return text.substr(line_start).starts_with("...");
}

std::optional<int> tab_in_indentation(std::string_view text, int line) {
  const auto source = line_of(text, line);
  const auto tab = source.substr(0, source.find_first_not_of(" \t")).find('\t');
  return tab == std::string_view::npos ? std::nullopt : std::optional(static_cast<int>(tab) + 1);
}

bool is_open_bracket(std::string_view text, std::size_t pos) {
  if (pos >= text.size() || (text[pos] != '[' && text[pos] != '{')) return false;
  int depth = 0;
  for (std::size_t at = pos; at < text.size(); ++at) {
    const char c = text[at];
    if ((c == '"' || c == '\'') && begins_value(text, at)) {
      const auto end = end_of_quote(text, at);
      if (!end) return true;
      at = *end;
    } else if (c == '#' && begins_comment(text, at)) {
      at = std::min(text.find('\n', at), text.size());
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if ((c == ']' || c == '}') && --depth == 0) {
      return false;
    }
  }
  return depth > 0;
}

}  // namespace spark::config
