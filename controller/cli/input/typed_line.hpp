#pragma once
// TypedLine: a command line taken apart by the tables of verbs and options, whatever is wrong with
// it.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/input/verb.hpp"

namespace spark::cli {

struct TypedOption {
  std::size_t at = 0;              ///< its place among the words
  std::string name;                ///< "--node", "-n"
  const OptionRow* row = nullptr;  ///< none: no option is called that where it stands
  std::optional<std::string> value;

  /// The next word is its value.
  [[nodiscard]] bool waits() const {
    return row != nullptr && row->value != &Value::kNone && !value;
  }
};

/// A word that is neither an option, nor the value of one, nor the verb.
struct TypedArgument {
  std::size_t at = 0;
  std::string text;
};

struct TypedLine {
  /// The words without the program's name.
  explicit TypedLine(std::vector<std::string> all);

  std::vector<std::string> words;
  const VerbSpec* verb = nullptr;  ///< none: no word names one
  std::size_t verb_at = 0;
  bool is_help = false;               ///< the verb is `help`
  bool only_arguments = false;        ///< "--" was taken
  std::vector<TypedArgument> before;  ///< those before a verb is known
  std::vector<TypedArgument> arguments;
  std::vector<TypedOption> options;

 private:
  void take(std::size_t at);
  void take_plain(std::size_t at);
  void take_long(std::size_t at);
  void take_short(std::size_t at);
};

// A command line that is shown for being typed: made of the words that were typed, with what is
// wrong replaced.

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
