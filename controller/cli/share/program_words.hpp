#pragma once
// is_program_word: words of the texts that this program prints, which say nothing of whose machine
// it is.

#include <string_view>

namespace spark::cli {

/// In small letters, with a blank before and behind each. The build makes it from the sources
/// (program_words.cmake).
std::string_view program_words();

/// In any case of letters; of one with '_', each part is such a word.
bool is_program_word(std::string_view word);

}  // namespace spark::cli
