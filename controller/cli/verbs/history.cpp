// The verb `history`: which files were applied to this node, by whom, what became of that, and what
// differs between two of them.

#include "state/history.hpp"

#include <algorithm>
#include <cstdio>
#include <ranges>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/columns.hpp"
#include "base/duration_text.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/json_output.hpp"
#include "cli/own_node.hpp"
#include "cli/text/diff_text.hpp"
#include "cli/text/layout.hpp"
#include "protocol/paths.hpp"

namespace spark::cli {
namespace {

constexpr std::size_t kDigestColumns = 12;

/// "3f9a1c02b4d6 'mtu 9000' (signed by alice@lab), 4 min old".
std::string commit_text(const state::FileCommit& commit) {
  constexpr std::size_t kShort = 12;
  const auto age = now().wall - std::chrono::sys_seconds(std::chrono::seconds(commit.time));
  return fmt::format(
      "{:.{}} {}{} ({}), {} old", printable(commit.id), kShort, in_quotes(commit.subject),
      commit.tag.empty() ? "" : fmt::format(", tag {}", in_quotes(commit.tag)),
      commit.principal.empty() ? "not verified"
                               : fmt::format("signed by {}", printable(commit.principal)),
      duration_text(std::max<std::chrono::nanoseconds>(age, {})));
}

/// ", change CHG-1"; empty: none was given.
std::string change_id_text(const state::Generation& generation) {
  return generation.change_id.empty() ? ""
                                      : fmt::format(", change {}", printable(generation.change_id));
}

/// In a terminal's width the usual place of the file needs no words, and another has its own line.
std::string line_of(const state::Generation& generation, const Terminal& terminal) {
  constexpr std::size_t kFewDigits = 7;
  const auto width = terminal.width();
  const bool good = generation.outcome == state::Generation::Outcome::kApplied;
  const auto line = fmt::format(
      "{:>4}  {}  {:.{}}  {}  {:>11}  {}", generation.number, generation.at, generation.digest,
      width ? kFewDigits : kDigestColumns,
      terminal.paint(good ? Tone::kGood : Tone::kChange,
                     padded(in_words(state::name_of(generation.outcome)), 19)),
      counted(generation.changes, "change"), printable(generation.by) + change_id_text(generation));
  if (generation.commit) {
    const auto commit = commit_text(*generation.commit);
    return width ? row(line, "", *width) + hanging("      ", commit, *width)
                 : fmt::format("{}  {}\n", line, commit);
  }
  const auto file = printable(generation.file);
  if (!width) return fmt::format("{}  {}\n", line, file);
  const bool is_usual = generation.file == protocol::kDefaultFile;
  return row(line, is_usual ? std::string() : file, *width);
}

/// All where it is not known which one this machine is.
Result<std::vector<std::string>> nodes_to_show(host::Files& files, const std::string& own) {
  return own.empty() ? files.list(protocol::kStateDirectory)
                     : Result<std::vector<std::string>>(std::vector{own});
}

ExitCode list(const Command& command, const std::string& own) {
  const auto nodes = nodes_to_show(command.host.files, own);
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
    print_next(command.terminal, command.arguments, "What the last one changed",
               command_line_for("history diff", command.arguments));
  }
  return ExitCode::kDone;
}

struct TwoGenerations {
  state::Generation from;
  state::Generation to;
};

/// Those that are asked for; else the two last files that stayed.
Result<TwoGenerations> generations_to_compare(const std::vector<state::Generation>& history,
                                              const Arguments& arguments) {
  const auto in_force = state::in_force(history);
  const auto before = in_force ? state::last_good_before_now(history) : std::nullopt;
  const auto pick = [&](std::optional<std::uint64_t> number,
                        const std::optional<state::Generation>& otherwise,
                        const char* none) -> Result<state::Generation> {
    if (number) return state::generation_with(history, *number);
    return otherwise ? Result<state::Generation>(*otherwise) : fail(ErrorCode::kNotFound, none);
  };
  auto to = pick(arguments.other_generation, in_force,
                 "no file is in force here: name two generations, as `history` lists them");
  if (!to) return std::unexpected(to.error());
  auto from = pick(arguments.generation, before,
                   "only one file was applied here yet: there is none to compare it with");
  if (!from) return std::unexpected(from.error());
  return TwoGenerations{.from = *std::move(from), .to = *std::move(to)};
}

std::string name_for(const state::Generation& generation) {
  return fmt::format("generation {}, {}, {}, digest {:.{}}", generation.number, generation.at,
                     in_words(state::name_of(generation.outcome)), generation.digest,
                     kDigestColumns);
}

ExitCode diff(const Command& command, const std::string& node) {
  if (node.empty()) {
    return report_error(command, {ErrorCode::kNotFound,
                                  "nothing records which node this machine is. Name it with -n"});
  }
  auto& files = command.host.files;
  const auto known = state::read_history(files, node);
  if (!known) return report_error(command, known.error());
  const auto two = generations_to_compare(*known, command.arguments);
  if (!two) return report_error(command, two.error());
  const auto from = state::text_of(files, node, two->from);
  if (!from) return report_error(command, from.error());
  const auto to = state::text_of(files, node, two->to);
  if (!to) return report_error(command, to.error());
  const auto from_name = name_for(two->from);
  const auto to_name = name_for(two->to);
  if (command.arguments.json) {
    const Terminal plain(stdout, stderr, Color::kNever, false);
    print_json(command.terminal, "history", config::Cluster{}, node, ExitCode::kDone,
               {{"from", state::to_json(two->from)},
                {"to", state::to_json(two->to)},
                {"diff", diff_text(from_name, *from, to_name, *to, plain)}});
    return ExitCode::kDone;
  }
  const auto text = diff_text(from_name, *from, to_name, *to, command.terminal);
  command.terminal.print_always(
      !text.empty() ? text : fmt::format("{} and {} have the same lines\n", from_name, to_name));
  if (!text.empty()) {
    print_next(command.terminal, command.arguments, "Return to the first",
               command_line_for(fmt::format("rollback {}", two->from.number), command.arguments));
  }
  return ExitCode::kDone;
}

}  // namespace

ExitCode history(const Command& command) {
  const auto own = find_own_node(command);
  if (!own) return own.error();
  return command.arguments.history_view == HistoryView::kDiff ? diff(command, *own)
                                                              : list(command, *own);
}

}  // namespace spark::cli
