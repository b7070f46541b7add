#include "base/html.hpp"

#include "base/text.hpp"

namespace spark {

std::string html(std::string_view text, std::size_t limit) {
  std::string escaped;
  for (const char c : printable(text, limit)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string prose(std::string_view text) {
  std::string out;
  while (true) {
    const auto begin = text.find('`');
    const auto end = begin == std::string_view::npos ? begin : text.find('`', begin + 1);
    if (end == std::string_view::npos) return out + html(text);
    out += html(text.substr(0, begin));
    out += "<code>" + html(text.substr(begin + 1, end - begin - 1)) + "</code>";
    text.remove_prefix(end + 1);
  }
}

}  // namespace spark
