#pragma once
// TypedLine: a command line taken apart by the tables of verbs and options, whatever is wrong with
// it.

#include <cstddef>
#include <optional>
#include <string>
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

}  // namespace spark::cli
