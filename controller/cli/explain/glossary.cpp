#include <algorithm>

#include "base/text.hpp"
#include "cli/explain/page_text.hpp"
#include "cli/explain/pages.hpp"
#include "cli/explain/vocabularies.hpp"

namespace spark::cli {
namespace {

/// The lines of its tables; a line may be about several words: "ring, switch".
const std::vector<Explanation>& all_terms() {
  static const auto kAll = [] {
    std::vector<Explanation> all;
    for (const auto& cells : rows_of(glossary_page(), "")) {
      if (cells.size() != 2 || cells[0] == "word") continue;
      for (auto word : split(cells[0], ',')) {
        if (word.starts_with(' ')) word.remove_prefix(1);
        all.push_back({.kind = WordKind::kTerm,
                       .word = std::string(word),
                       .title = {},
                       .parts = {{"Means", cells[1]}},
                       .page = "docs/reference/glossary.md"});
      }
    }
    return all;
  }();
  return kAll;
}

}  // namespace

std::vector<std::string> glossary_words() {
  std::vector<std::string> words;
  for (const auto& term : all_terms()) words.push_back(term.word);
  return words;
}

std::optional<Explanation> explain_glossary_word(std::string_view word) {
  const auto found = std::ranges::find(all_terms(), ascii_lower(word), [](const Explanation& term) {
    return ascii_lower(term.word);
  });
  return found == all_terms().end() ? std::nullopt : std::optional(*found);
}

}  // namespace spark::cli
