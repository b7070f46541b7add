#include "cli/text/layout.hpp"

#include <fmt/format.h>

#include "cli/input/verb.hpp"

namespace spark::cli {

std::string fitting(std::string_view text, const Terminal& terminal) {
  return in_lines(text, terminal.width());
}

std::string next_line(std::string_view label, std::string_view command) {
  const auto* const colon = label.ends_with('?') ? "" : ":";
  return command.empty() ? std::string() : fmt::format("{}{}  {}\n", label, colon, command);
}

std::string typed(std::string_view command, const Terminal& terminal) {
  constexpr std::string_view kOurs = "spark-reconcile ";
  bool is_for_root = command.starts_with("systemctl ");
  if (command.starts_with(kOurs)) {
    const auto words = command.substr(kOurs.size());
    const auto verb = verb_named(words.substr(0, words.find(' ')));
    is_for_root = verb && needs_root(*verb);
  }
  return (is_for_root && terminal.writes_sudo() ? "sudo " : "") + std::string(command);
}

void print_next(const Terminal& terminal, const Arguments& arguments, std::string_view label,
                std::string_view command) {
  if (terminal.width() && !arguments.json) {
    terminal.print(next_line(label, typed(command, terminal)));
  }
}

}  // namespace spark::cli
