#include "cli/run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/input/typed_line.hpp"
#include "cli/question.hpp"
#include "cli/state_here/node_here.hpp"

namespace spark::cli {
namespace {

/// Programs read a JSON document alone.
void name_unfinished(const Command& command) {
  const auto& arguments = command.arguments;
  if (arguments.json || arguments.quiet || !arguments.facts.empty()) return;
  command.terminal.complain(unfinished_text(unfinished_here(command.host, arguments.root)));
}

bool is_for_root(const Arguments& arguments) {
  const auto& verb = *arguments.verb;
  const bool needs_root =
      verb.is_for_root == nullptr ? verb.needs_root : verb.is_for_root(arguments);
  // All that the verb changes may be in a directory of the user.
  const bool is_own = arguments.root != "/" && access(arguments.root.c_str(), W_OK) == 0;
  return needs_root && !(verb.needs_root && is_own);
}

}  // namespace

ExitCode run(const Command& command, ExitCode (*daemon)(const Command&)) {
  const auto& verb = *command.arguments.verb;
  if (geteuid() != 0 && is_for_root(command.arguments)) {
    return report_error(
        command, {ErrorCode::kPermission, fmt::format("{} needs root: {}", verb.name,
                                                      line_for_root(command.arguments.typed))});
  }
  if (verb.run == nullptr) return daemon(command);
  if (verb.names_unfinished) name_unfinished(command);
  return can_be_asked(command.arguments) ? ask_before(command, verb.run, ask_on_terminal)
                                         : verb.run(command);
}

}  // namespace spark::cli
