#pragma once
// A command line that is shown for being typed: made of the words that were typed, with what is
// wrong replaced.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/input/typed_line.hpp"
#include "cli/input/verb.hpp"

namespace spark::cli {

/// "`spark-reconcile plan -n spark1`", as a shell takes it: with sudo where the verb needs root,
/// and with the options that it needs.
std::string line_to_type(const std::vector<std::string>& typed);

/// Just what was typed, with sudo.
std::string line_for_root(const std::vector<std::string>& typed);

/// The typed line with other words in place of the one at `at`.
std::string line_with(const TypedLine& line, std::size_t at,
                      const std::vector<std::string>& instead);

/// The typed line with another value of that option of it.
std::string line_with_value(const TypedLine& line, const TypedOption& option,
                            const std::string& value);

/// "`ssh -t spark2 sudo spark-reconcile apply`", for a verb that is about the machine that it runs
/// on.
std::string line_on(std::string_view node, std::string_view verb);

/// The words with `others` in place of the one at `at`.
std::vector<std::string> words_with(std::vector<std::string> words, std::size_t at,
                                    const std::vector<std::string>& others);

/// {"plan", "--json"}.
std::vector<std::string> verb_and(const VerbSpec& verb, const std::vector<std::string>& words);

/// The option of that name as it was typed; none: it was not.
const TypedOption* typed_option(const TypedLine& line, std::string_view name);

/// "cluster.yaml": no verb and no node is called so.
bool is_name_of_yaml(std::string_view word);

/// "--file" of "-f,--file".
std::string long_name(const OptionRow& row);

/// A value that could stand there: "cluster.yaml".
std::string sample_for(const OptionRow& row);

/// {"--for", "5m"}, {"--json"}.
std::vector<std::string> with_sample(const OptionRow& row);

}  // namespace spark::cli
