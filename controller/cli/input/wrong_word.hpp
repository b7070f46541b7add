#pragma once
// What is said of a word that a verb, or one of its options, does not take. Pure.

#include <cstddef>
#include <string>
#include <string_view>

#include "cli/input/options.hpp"
#include "cli/input/typed_line.hpp"

namespace spark::cli {

/// "cluster.yaml": no verb and no node is called so.
bool is_name_of_yaml(std::string_view word);

/// Why the verb of the line takes no more than `taken` arguments, and what to write instead.
std::string advice_on_word(const TypedLine& typed, std::size_t taken);

/// Why the option, or the argument, does not take that value.
std::string why_not_taken(const OptionRow& row, const std::string& value);

}  // namespace spark::cli
