#include "base/text.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include <fmt/format.h>

namespace spark {
namespace {

/// Longest word that is compared with others: longer ones are no misspelling of ours, and the
/// comparison is quadratic.
constexpr std::size_t kLongestWord = 64;

constexpr std::size_t kQuotedLimit = 60;

std::uint8_t byte_at(std::string_view text, std::size_t index) {
  return static_cast<std::uint8_t>(text[index]);
}

}  // namespace

std::optional<CodePoint> decode_utf8(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const std::uint8_t lead = byte_at(text, 0);
  if (lead < 0x80) return CodePoint{lead, 1};

  std::size_t size = 0;
  char32_t value = 0;
  char32_t smallest = 0;  // a longer form than needed is an attack, not a character
  if ((lead & 0xE0) == 0xC0) {
    size = 2, value = lead & 0x1F, smallest = 0x80;
  } else if ((lead & 0xF0) == 0xE0) {
    size = 3, value = lead & 0x0F, smallest = 0x800;
  } else if ((lead & 0xF8) == 0xF0) {
    size = 4, value = lead & 0x07, smallest = 0x10000;
  } else {
    return std::nullopt;
  }
  if (text.size() < size) return std::nullopt;
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte_at(text, i) & 0xC0) != 0x80) return std::nullopt;
    value = (value << 6) | (byte_at(text, i) & 0x3F);
  }
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < smallest || value > 0x10FFFF || surrogate) return std::nullopt;
  return CodePoint{value, size};
}

bool is_hidden(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c <= 0xA0) || c == 0xAD || c == 0x61C || c == 0x200B ||
         (c >= 0x200E && c <= 0x200F) || (c >= 0x2028 && c <= 0x202F) ||
         (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF || (c & 0xFFFE) == 0xFFFE;
}

std::string printable(std::string_view text, std::size_t limit) {
  // Most texts, and there may be many thousands.
  if (text.size() <= limit && std::ranges::all_of(text, is_ascii_print)) return std::string(text);
  std::string out;
  for (std::size_t shown = 0; !text.empty(); ++shown) {
    if (shown == limit) return out + "...";
    const auto point = decode_utf8(text);
    const std::size_t size = point ? point->size : 1;
    if (!point || (point->value < 0x80 && is_hidden(point->value))) {
      out += fmt::format("\\x{:02x}", byte_at(text, 0));
    } else if (is_hidden(point->value)) {
      out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(point->value));
    } else {
      out += text.substr(0, size);
    }
    text.remove_prefix(size);
  }
  return out;
}

std::string in_words(std::string_view name) {
  std::string words(name);
  std::ranges::replace(words, '_', ' ');
  return words;
}

std::string without_passwords(std::string_view text) {
  constexpr std::string_view kScheme = "://";
  constexpr std::string_view kMask = "***";
  std::string masked;
  for (auto at = text.find(kScheme); at != std::string_view::npos; at = text.find(kScheme)) {
    const auto scheme = text.substr(0, at);
    const bool is_http = scheme.ends_with("http") || scheme.ends_with("https");
    masked += text.substr(0, at + kScheme.size());
    text.remove_prefix(at + kScheme.size());
    const auto word = text.substr(0, text.find_first_of(" \t\"'"));
    const auto authority = word.substr(0, word.find('/'));
    const auto colon = authority.find(':');
    auto host = authority.rfind('@');
    // A password may have a '/' that its author did not escape; digits are a port.
    const bool has_port = colon == std::string_view::npos ||
                          std::ranges::all_of(authority.substr(colon + 1), is_ascii_digit);
    if (host == std::string_view::npos && !has_port) host = word.find('@');
    if (host == std::string_view::npos) continue;
    if (colon < host) {
      masked += fmt::format("{}{}", word.substr(0, colon + 1), kMask);
    } else {
      masked += is_http ? kMask : word.substr(0, host);
    }
    text.remove_prefix(host);
  }
  return masked.append(text);
}

std::string in_quotes(std::string_view text) { return "'" + printable(text, kQuotedLimit) + "'"; }

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the usual table: the swap of two neighbours looks two rows back.
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(last.begin(), last.end(), 0U);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
    before_last.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

std::optional<std::string_view> closest(std::string_view word,
                                        std::span<const std::string_view> candidates) {
  if (word.size() > kLongestWord) return std::nullopt;
  // Capitals are the least of differences: "MTU" is "mtu".
  const auto lower = ascii_lower(word);
  const auto same = std::ranges::find_if(
      candidates, [&](std::string_view candidate) { return ascii_lower(candidate) == lower; });
  if (same != candidates.end()) return *same;
  std::optional<std::string_view> best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t difference =
        std::max(candidate.size(), word.size()) - std::min(candidate.size(), word.size());
    if (difference >= best_distance) continue;
    const std::size_t distance = edit_distance(word, candidate);
    // A word that shares nothing with the candidate is no misspelling of it.
    if (distance < best_distance && distance < candidate.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string_view line_of(std::string_view text, int number) {
  for (int line = 1; line < number; ++line) {
    const auto end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  auto line = text.substr(0, text.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (auto end = text.find(separator); end != std::string_view::npos; end = text.find(separator)) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

bool has_item(std::string_view list, char separator, std::string_view item) {
  const auto items = split(list, separator);
  return !item.empty() && std::ranges::find(items, item) != items.end();
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string ascii_lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (is_ascii_upper(c)) c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

namespace {

bool is_part_of_a_name(char c) { return is_ascii_alnum(c) || c == '-' || c == '_'; }

}  // namespace

bool has_name(std::string_view text, std::string_view name) {
  const auto is_part = [&](std::size_t at) {
    return at < text.size() && is_part_of_a_name(text[at]);
  };
  // A dot is part of a name where another label is beyond it.
  const auto is_dot = [&](std::size_t at) { return at < text.size() && text[at] == '.'; };
  for (auto at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const auto end = at + name.size();
    const bool begins =
        at == 0 || !(is_part(at - 1) || (is_dot(at - 1) && at > 1 && is_part(at - 2)));
    const bool ends = !(is_part(end) || (is_dot(end) && is_part(end + 1)));
    if (begins && ends) return true;
  }
  return false;
}

std::string counted(std::size_t count, std::string_view noun) {
  const auto* const plural = noun.ends_with("ch") ? "es" : "s";
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : plural);
}

std::string listed(const std::vector<std::string>& names, std::string_view conjunction) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool is_last = i + 1 == names.size();
    text += i == 0 ? std::string() : is_last ? fmt::format(" {} ", conjunction) : ", ";
    text += names[i];
  }
  return text;
}

std::string fold_blanks(std::string_view text) {
  std::string out;
  bool blank_pending = false;
  for (const char c : text) {
    if (c == ' ' || c == '\t') {
      blank_pending = !out.empty();
      continue;
    }
    if (blank_pending) out += ' ';
    blank_pending = false;
    out += c;
  }
  return out;
}

}  // namespace spark
