#pragma once
// What stands below the options in the help of the program and of a verb.

#include <cstddef>
#include <string>
#include <string_view>

#include "cli/input/verb.hpp"

namespace spark::cli {

/// The exit codes, the first steps, and where the manual is.
std::string footer_of_program();

/// The options of all verbs, what the verb does, its exit codes, an example, and where its manual
/// page is.
std::string footer_of(Verb verb);

/// The text in lines of at most `columns`; each line of each paragraph begins with `indent`. Lines
/// that begin with four blanks stay as they are.
std::string wrapped(std::string_view text, std::size_t columns, std::string_view indent = "");

}  // namespace spark::cli
