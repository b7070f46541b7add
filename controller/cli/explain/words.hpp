#pragma once
// words: all that `explain` knows, by kind.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/explain/explanation.hpp"

namespace spark::cli {

/// A kind of words that needs no file: everything but resources.
struct WordTable {
  WordKind kind{};
  std::string_view about;  ///< what such a word is
  std::string_view example;
  std::vector<std::string> (*words)() = nullptr;
  std::optional<Explanation> (*find)(std::string_view word) = nullptr;
  /// How many things there are, of which each may have several words.
  std::size_t (*count)() = nullptr;
};

const std::vector<WordTable>& word_tables();

/// The words of all tables.
std::vector<std::string> all_words();

/// Empty: it is in no table.
std::optional<Explanation> explain_word(std::string_view word);

// near_words: "did you mean" for a word that `explain` does not know.

/// At most three of the words: those that begin with `word` or have it as their last part, then
/// those that it may be a misspelling of.
std::vector<std::string> near_words(std::string_view word, const std::vector<std::string>& words);

/// "unknown word 'SR-GATE-16': did you mean SR-GATE-016, …?", or where all words are listed.
std::string unknown_word(std::string_view word, const std::vector<std::string>& words);

}  // namespace spark::cli
