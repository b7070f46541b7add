#pragma once
// The words of the field and of this program, as the glossary has them.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/explain/explanation.hpp"

namespace spark::cli {

/// "cage", "queue pair", …
std::vector<std::string> glossary_words();

/// `word` is one of them, in letters of any size. Empty: there is none.
std::optional<Explanation> explain_glossary_word(std::string_view word);

}  // namespace spark::cli
