#pragma once
// What is said of a command line that is wrong: which word is not understood, why, and the line to
// type.
//
// The library of arguments says that a line is wrong; these say it to people, by the tables of
// verbs and options. Pure.

#include <cstddef>
#include <string>
#include <string_view>
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

/// What is wrong with a reason, which is shown wherever what it is for is; empty: nothing.
std::string fault_of_why(const std::string& why);

/// Why there is no help on such a verb.
std::string why_no_help(const std::string& word);

// Of a word that a verb, or one of its options, does not take (wrong_word.cpp).

/// Why the verb of the line takes no more than `taken` arguments, and what to write instead.
std::string advice_on_word(const TypedLine& typed, std::size_t taken);

/// Why the option, or the argument, of the line does not take that value.
std::string why_not_taken(const TypedLine& line, const OptionRow& row, const std::string& value);

/// The option of the verb that has the word among those that it takes, or is called so without its
/// dashes; none: no option has it.
const OptionRow* option_without_dashes(const VerbSpec& verb, const std::string& word);

/// The verb is about the machine that it runs on: the same on `node`. Empty: it is not, or the word
/// is no name of a node.
std::string advice_to_go_there(const VerbSpec& verb, const std::string& node);

/// "3".
bool has_digits_alone(std::string_view word);

/// It names a node rather than anything else: "spark2".
bool may_be_node(std::string_view word);

// Of an option that the verb does not have (wrong_option.cpp).

inline constexpr std::string_view kListsVerbs = "`spark-reconcile help` lists those that there are";

/// Why the line has no such option, and the line to type, which changes no more than this one.
std::string unknown_option(const TypedLine& line, const TypedOption& option);

// What people type who know other programs, and what this one has for it (meant.cpp): a row each,
// those of one verb alone in VerbSpec::meant.

/// For a word in the place of the verb: the line to type, with what it does. Empty: no row has it.
std::string_view meant_by_verb(std::string_view word);

/// For an option that the verb does not have: why, and the line to type. Empty: no row has it.
std::string_view meant_by_option(const VerbSpec* verb, std::string_view option);

/// The option that the verb has and other programs call so: "--out" for "--output". None: no row
/// has it.
const OptionRow* same_option(const VerbSpec* verb, std::string_view option);

/// For a word behind the verb that it does not take: why, and the line to type. Empty: no row has
/// it.
std::string_view meant_by_word(const VerbSpec& verb, std::string_view word);

}  // namespace spark::cli
