#include "cli/input/arguments.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace spark::cli {

std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain = "@%+=:,./_-";
  const bool plain =
      std::ranges::all_of(text, [&](char c) { return is_ascii_alnum(c) || kPlain.contains(c); });
  if (plain && !text.empty()) {
    return text;
  }
  std::string word = "'";
  for (const char c : text) {
    word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return word + "'";
}

std::string command_line_for(std::string_view verb, const Arguments& arguments) {
  std::string line = "spark-reconcile " + std::string(verb);
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) {
      line += std::string(" ") + option + " " + shell_word(value);
    }
  };
  if (!arguments.plan_file.empty()) {
    line += " " + shell_word(arguments.plan_file);
  }
  add("-f", arguments.file);
  add("-n", arguments.node);
  add("--root", arguments.root == "/" ? std::string() : arguments.root);
  return arguments.file == "-" ? line + " (with the same file on its standard input)" : line;
}

}  // namespace spark::cli
