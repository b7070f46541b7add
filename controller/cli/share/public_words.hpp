#pragma once
// is_public_word: words of formats and programs, which say nothing of whose machine it is.

#include <string_view>

namespace spark::cli {

/// A word that is none of these is replaced in a report, so a missing one costs a reader something,
/// and gives nothing away.
bool is_public_word(std::string_view word);

}  // namespace spark::cli
