#include "base/columns.hpp"

#include <algorithm>
#include <clocale>
#include <cwchar>
#include <utility>

#include <locale.h>

#include "base/text.hpp"

namespace spark {
namespace {

/// wcwidth(3) goes by the locale of the thread. The program sets none, and the text is UTF-8
/// whatever the user has set.
class Utf8Here {
 public:
  Utf8Here() : before_(utf8() == nullptr ? nullptr : uselocale(utf8())) {}
  ~Utf8Here() {
    if (before_ != nullptr) uselocale(before_);
  }
  Utf8Here(const Utf8Here&) = delete;
  Utf8Here& operator=(const Utf8Here&) = delete;

  /// A character that the C library does not know is taken to have one.
  [[nodiscard]] std::size_t columns_of(char32_t character) const {
    const int width = before_ == nullptr ? 1 : wcwidth(static_cast<wchar_t>(character));
    return width < 0 ? 1 : static_cast<std::size_t>(width);
  }

 private:
  /// Null: this machine has no such locale. It lives as long as the program, and is not read before
  /// a text needs it.
  static locale_t utf8() {
    static const locale_t kUtf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
    return kUtf8;
  }

  locale_t before_;
};

/// The size of what paints the text that follows; 0: the text begins with something else.
std::size_t size_of_tone(std::string_view text) {
  if (!text.starts_with("\x1b[")) return 0;
  const auto end = text.find_first_not_of("0123456789;", 2);
  return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

/// The words of a text: a command in backticks of at most `width` columns is one.
std::vector<std::string_view> words_in(std::string_view text, std::size_t width) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    auto end = std::min(text.find(' ', at), text.size());
    const auto opens = text.substr(at, end - at).find('`');
    const auto closes = opens == std::string_view::npos ? opens : text.find('`', at + opens + 1);
    if (closes != std::string_view::npos && closes > end) {
      const auto whole = std::min(text.find(' ', closes), text.size());
      if (columns(text.substr(at, whole - at)) <= width) end = whole;
    }
    if (end > at) words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

}  // namespace

std::size_t columns(std::string_view text) {
  if (std::ranges::all_of(text, is_ascii_print)) return text.size();
  const Utf8Here here;
  std::size_t sum = 0;
  while (!text.empty()) {
    auto size = size_of_tone(text);
    if (size == 0) {
      const auto point = decode_utf8(text);
      sum += point ? here.columns_of(point->value) : 1;
      size = point ? point->size : 1;
    }
    text.remove_prefix(size);
  }
  return sum;
}

std::string padded(std::string_view text, std::size_t width) {
  const auto used = columns(text);
  return std::string(text) + std::string(width > used ? width - used : 0, ' ');
}

std::string without_end_blanks(std::string text) {
  text.resize(text.find_last_not_of(' ') + 1);
  return text;
}

std::vector<std::string> broken(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  std::size_t used = 0;
  for (const auto word : words_in(text, width)) {
    const auto size = columns(word);
    if (!line.empty() && used + 1 + size > width) {
      lines.push_back(std::exchange(line, {}));
      used = 0;
    }
    if (!line.empty()) {
      line += ' ';
      ++used;
    }
    line += word;
    used += size;
  }
  if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

std::string cut(std::string_view text, std::size_t width) {
  if (columns(text) <= width) return std::string(text);
  std::size_t size = 0;
  while (size < text.size()) {
    const auto point = decode_utf8(text.substr(size));
    const auto next = size + (point ? point->size : 1);
    if (columns(text.substr(0, next)) + 1 > width) break;
    size = next;
  }
  return std::string(text.substr(0, size)) + "…";
}

}  // namespace spark
