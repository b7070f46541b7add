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

}  // namespace spark::cli
