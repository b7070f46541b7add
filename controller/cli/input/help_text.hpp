#pragma once
// The help of a first week; and what stands below the options in the help of all and of a verb.

#include <cstddef>
#include <string>
#include <string_view>

#include "cli/input/verb.hpp"

namespace spark::cli {

inline constexpr std::size_t kHelpColumns = 80;
/// Where the library begins what it says of an option or a verb.
inline constexpr std::size_t kAboutColumn = 30;

/// "  -f,--file FILE              the cluster file": lines of kHelpColumns, those below the first
/// under its text. A `head` that is too long stands alone.
std::string beside(std::string_view head, std::string_view about);

/// `about`, the verbs that a first week needs, the first steps, and where the others are.
std::string help_of_first_week(std::string_view about);

/// The exit codes, and where the manual is.
std::string footer_of_program();

/// The options of all verbs, what the verb does, its exit codes, an example, and where its manual
/// page is.
std::string footer_of(const VerbSpec& verb);

/// The text in lines of at most `columns`; each line of each paragraph begins with `indent`. Lines
/// that begin with four blanks stay as they are.
std::string wrapped(std::string_view text, std::size_t columns, std::string_view indent = "");

}  // namespace spark::cli
