#include "base/id_text.hpp"

#include "base/text.hpp"

namespace spark {

std::vector<IdText> id_texts(std::string_view text) {
  constexpr std::size_t kLines = 4;
  constexpr std::size_t kIndent = 2;
  const auto lines = lines_of(text);
  std::vector<IdText> ids;
  for (std::size_t i = 0; i + 2 < lines.size(); i += kLines) {
    const auto colon = lines[i].find(": ");
    ids.push_back({.id = lines[i].substr(0, colon),
                   .title = lines[i].substr(colon + 2),
                   .cause = lines[i + 1].substr(kIndent),
                   .fix = lines[i + 2].substr(kIndent)});
  }
  return ids;
}

}  // namespace spark
