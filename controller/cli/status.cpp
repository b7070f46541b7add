// The verb `status`: desired against actual for this node, in one screen.

#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/json_output.hpp"
#include "cli/situation.hpp"
#include "cli/status_text.hpp"

namespace spark {

ExitCode status(const Command& command) {
  auto situation = take_in(command);
  if (!situation) return situation.error();
  const auto standing = situation->plan.standing();
  const auto code = command.arguments.exit_code ? standing : ExitCode::kDone;
  if (command.arguments.json) {
    auto body = to_json(situation->plan);
    body["standing"] = static_cast<int>(standing);
    print_json(command, "status", situation->file.parsed.cluster, situation->plan.node, code, body);
  } else {
    command.terminal.print_always(status_text(*situation, command));
  }
  return code;
}

}  // namespace spark
