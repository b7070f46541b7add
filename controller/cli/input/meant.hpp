#pragma once
// What people type who know other programs, and what this one has for it: a row each.

#include <optional>
#include <string_view>

#include "cli/input/options.hpp"
#include "cli/input/verb.hpp"

namespace spark::cli {

/// For a word in the place of the verb: the line to type, with what it does. Empty: no row has it.
std::string_view meant_by_verb(std::string_view word);

/// For an option that the verb does not have: why, and the line to type. Empty: no row has it.
std::string_view meant_by_option(std::optional<Verb> verb, std::string_view option);

/// The option that the verb has and other programs call so: "--out" for "--output". None: no row
/// has it.
const OptionRow* same_option(std::optional<Verb> verb, std::string_view option);

/// For a word behind the verb that it does not take: why, and the line to type. Empty: no row has
/// it.
std::string_view meant_by_word(Verb verb, std::string_view word);

}  // namespace spark::cli
