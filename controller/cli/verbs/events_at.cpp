#include "cli/verbs/events_at.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/moment.hpp"
#include "cli/input/asked_time.hpp"
#include "cli/input/typed_line.hpp"
#include "cli/json_output.hpp"
#include "cli/plan/node_by_file.hpp"
#include "cli/text/answer_text.hpp"
#include "cli/text/layout.hpp"
#include "cli/verbs/network_answer.hpp"

namespace spark::cli {

ExitCode show_events_at(const Command& command, const std::string& time, bool all) {
  const auto present = now().wall;
  const auto at = asked_time(time, present);
  if (!at || *at > present) {
    return report_error(
        command,
        {ErrorCode::kInvalid, fmt::format("{} has not come yet, and times are UTC: it is {} now",
                                          in_quotes(time), utc_text(present))});
  }
  const auto file = node_by_file(command);
  if (!file) return file.error();
  if (!file->node || !file->other.empty()) {
    return report_error(
        command, {ErrorCode::kNotFound,
                  file->node ? fmt::format("it is about the rails of this node: `ssh -t {} sudo "
                                           "spark-reconcile events --at {}`",
                                           shell_word(file->other), utc_text(*at))
                             : "without a file nothing is known of the rails of this node"});
  }
  const auto& terminal = command.terminal;
  const auto& node = *file->node;
  // Of a minute that is not over, what has passed.
  const auto end = std::min(*at + length_of_time(time), present);
  const auto asked = network_answer(command, file->cluster, node,
                                    {.at = end, .job = {}, .asks_peers = all, .lasts = end - *at});
  if (command.arguments.json) {
    auto body = answer_json(asked);
    body["asked_at"] = utc_text(*at);
    print_json(terminal, "events", config::Cluster{}, "", ExitCode::kDone, body);
    return ExitCode::kDone;
  }
  terminal.print(
      terminal.paint(Tone::kStrong, fmt::format("{}, around {}", node.name, utc_text(*at))) + "\n");
  terminal.print_always(answer_text(asked, terminal));
  terminal.print(lines_text(asked, terminal));
  if (!all) {
    terminal.print(fitting("\nThat is the record of this node alone.\n", terminal));
    auto here = command.arguments;
    here.file.clear();  // -f of `events` follows
    print_next(terminal, here, "Those of all nodes",
               command_line_for(fmt::format("events --all --at {}", shell_word(time)), here));
  }
  return ExitCode::kDone;
}

}  // namespace spark::cli
