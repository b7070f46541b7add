#include "cli/typed_command.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "cli/input/verb.hpp"

namespace spark::cli {
namespace {

/// What follows the name of this program.
bool is_for_root(std::string_view line) {
  const auto words = split(line, ' ');
  const auto* verb = verb_named(words.front());
  if (verb == nullptr) return false;
  // Alone, such a verb only shows.
  if (words.size() == 1) return verb->needs_root && verb->is_for_root == nullptr;
  if (verb->needs_root) return true;
  const auto* option = option_named(verb, words[1]);
  const auto arguments = arguments_of(*verb);
  const bool is_argument = !words[1].starts_with('-') && !arguments.empty();
  return is_argument ? arguments.front().for_root : option != nullptr && option->for_root;
}

bool is_for_root_of_systemd(std::string_view line) {
  constexpr std::array<std::string_view, 4> kShowing{"status", "show", "cat", "is-active"};
  return std::ranges::find(kShowing, line.substr(0, line.find(' '))) == kShowing.end();
}

}  // namespace

std::string typed(std::string_view command, const Terminal& terminal) {
  constexpr std::string_view kOurs = "spark-reconcile ";
  constexpr std::string_view kSystemd = "systemctl ";
  const bool has_sudo =
      terminal.writes_sudo() &&
      ((command.starts_with(kOurs) && is_for_root(command.substr(kOurs.size()))) ||
       (command.starts_with(kSystemd) && is_for_root_of_systemd(command.substr(kSystemd.size()))));
  return (has_sudo ? "sudo " : "") + std::string(command);
}

std::string typed_in(std::string_view text, const Terminal& terminal) {
  if (!terminal.writes_sudo()) return std::string(text);
  std::string all;
  const auto parts = split(text, '`');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool is_command = i % 2 == 1 && i + 1 < parts.size();
    all += i == 0 ? "" : "`";
    all += is_command ? typed(parts[i], terminal) : std::string(parts[i]);
  }
  return all;
}

}  // namespace spark::cli
