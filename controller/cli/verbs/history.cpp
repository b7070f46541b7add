// The verb `history`: which files were applied to this node, by whom, and what became of that.

#include "state/history.hpp"

#include <algorithm>
#include <ranges>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/json_output.hpp"
#include "cli/own_node.hpp"
#include "protocol/paths.hpp"

namespace spark::cli {
namespace {

constexpr std::size_t kDigestColumns = 12;

std::string line_of(const state::Generation& generation, const Terminal& terminal) {
  const bool good = generation.outcome == state::Generation::Outcome::kApplied;
  std::string outcome(state::name_of(generation.outcome));
  std::ranges::replace(outcome, '_', ' ');
  return fmt::format("{:>4}  {}  {}  {}  {:>11}  {}  {}\n", generation.number, generation.at,
                     generation.digest.substr(0, kDigestColumns),
                     terminal.paint(good ? Tone::kGood : Tone::kChange, padded(outcome, 19)),
                     counted(generation.changes, "change"), printable(generation.by),
                     printable(generation.file));
}

/// All where it is not known which one this machine is.
Result<std::vector<std::string>> nodes_to_show(host::Files& files, const std::string& own) {
  return own.empty() ? files.list(protocol::kStateDirectory)
                     : Result<std::vector<std::string>>(std::vector{own});
}

}  // namespace

ExitCode history(const Command& command) {
  const auto own = find_own_node(command);
  if (!own) return own.error();
  const auto nodes = nodes_to_show(command.host.files, *own);
  if (!nodes) return report_error(command, nodes.error());
  auto generations = nlohmann::json::array();
  std::string text;
  std::string name;
  for (const auto& node : *nodes) {
    const auto found = state::read_history(command.host.files, node);
    if (!found) return report_error(command, found.error());
    for (const auto& generation : *found | std::views::reverse) {
      name = node;
      generations.push_back(state::to_json(generation));
      text += line_of(generation, command.terminal);
    }
  }
  if (command.arguments.json) {
    print_json(command.terminal, "history", config::Cluster{}, name, ExitCode::kDone,
               {{"generations", std::move(generations)}});
  } else if (text.empty()) {
    command.terminal.print_always("no file was applied here yet\n");
  } else {
    command.terminal.print_always(text);
  }
  return ExitCode::kDone;
}

}  // namespace spark::cli
