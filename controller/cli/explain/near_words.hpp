#pragma once
// near_words: "did you mean" for a word that `explain` does not know.

#include <string>
#include <string_view>
#include <vector>

namespace spark::cli {

/// At most three of the words: those that begin with `word` or have it as their last part, then
/// those that it may be a misspelling of.
std::vector<std::string> near_words(std::string_view word, const std::vector<std::string>& words);

/// "unknown word 'SR-GATE-16': did you mean SR-GATE-016, …?", or where all words are listed.
std::string unknown_word(std::string_view word, const std::vector<std::string>& words);

}  // namespace spark::cli
