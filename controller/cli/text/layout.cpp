#include "cli/text/layout.hpp"

#include <fmt/format.h>

namespace spark::cli {

std::string fitting(std::string_view text, const Terminal& terminal) {
  return in_lines(typed_in(text, terminal), terminal.width());
}

std::string next_line(std::string_view label, std::string_view command) {
  const auto* const colon = label.ends_with('?') ? "" : ":";
  return command.empty() ? std::string() : fmt::format("{}{}  {}\n", label, colon, command);
}

std::string remedy_line(std::string_view label, const diagnosis::Remedy& remedy,
                        const Terminal& terminal) {
  const bool is_command = remedy.text.empty() || remedy.text == remedy.command;
  if (is_command) return next_line(label, typed(remedy.command, terminal));
  const auto head = fmt::format("{}:  ", label);
  const auto text = typed_in(remedy.text, terminal);
  return terminal.width() ? hanging(head, text, *terminal.width()) : head + text + "\n";
}

void print_next(const Terminal& terminal, const Arguments& arguments, std::string_view label,
                std::string_view command) {
  if (terminal.width() && !arguments.json) {
    terminal.print(next_line(label, typed(command, terminal)));
  }
}

}  // namespace spark::cli
