#pragma once
// What is said of a command line that is wrong: which word is not understood, why, and the line to
// type.
//
// The library of arguments says that a line is wrong; these say it to people, by the tables of
// verbs and options. Pure.

#include <string>
#include <vector>

#include "cli/input/typed_line.hpp"

namespace spark::cli {

/// Why all words, without the program's name, are no command line.
std::string why_not_read(const std::vector<std::string>& all);

/// A word that begins with the dash that an editor makes of two, where an option may be meant;
/// empty: none does.
std::string fault_of_dashes(const TypedLine& line);

/// "--names spark1 spark2", where a comma is meant; empty: no such names are there.
std::string fault_of_names(const TypedLine& line);

/// Why there is no help on such a verb.
std::string why_no_help(const std::string& word);

}  // namespace spark::cli
