#pragma once
// What is said of a command line that is wrong: which word is not understood, why, and the line to
// type.
//
// The library of arguments says that a line is wrong; these say it to people, by the tables of
// verbs and options. Pure.

#include <string>
#include <vector>

namespace spark::cli {

/// Why all words, without the program's name, are no command line.
std::string why_not_read(const std::vector<std::string>& all);

/// Why there is no such verb.
std::string why_no_verb(const std::string& word);

}  // namespace spark::cli
