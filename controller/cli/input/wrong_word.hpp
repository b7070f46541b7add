#pragma once
// What is said of a word that a verb, or one of its options, does not take. Pure.

#include <cstddef>
#include <string>
#include <string_view>

#include "cli/input/options.hpp"
#include "cli/input/typed_line.hpp"

namespace spark::cli {

/// Why the verb of the line takes no more than `taken` arguments, and what to write instead.
std::string advice_on_word(const TypedLine& typed, std::size_t taken);

/// Why the option, or the argument, of the line does not take that value.
std::string why_not_taken(const TypedLine& line, const OptionRow& row, const std::string& value);

/// The option of the verb that has the word among those that it takes, or is called so without its
/// dashes; none: no option has it.
const OptionRow* option_without_dashes(Verb verb, const std::string& word);

/// The verb is about the machine that it runs on: the same on `node`. Empty: it is not, or the word
/// is no name of a node.
std::string advice_to_go_there(Verb verb, const std::string& node);

/// It names a node rather than anything else: "spark2".
bool may_be_node(std::string_view word);

}  // namespace spark::cli
