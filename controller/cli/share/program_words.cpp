#include "cli/share/program_words.hpp"

#include <algorithm>
#include <set>
#include <sstream>
#include <string>

#include "base/text.hpp"

namespace spark::cli {

bool is_program_word(std::string_view word) {
  static const auto kWords = [] {
    std::set<std::string, std::less<>> words;
    std::istringstream text{std::string(program_words())};
    for (std::string one; text >> one;) words.insert(one);
    return words;
  }();
  // "ip_forward" is one where "ip" and "forward" are.
  for (;;) {
    const auto end = std::min(word.find('_'), word.size());
    if (!kWords.contains(ascii_lower(word.substr(0, end)))) return false;
    if (end == word.size()) return true;
    word.remove_prefix(end + 1);
  }
}

}  // namespace spark::cli
