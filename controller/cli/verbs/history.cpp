// The verb `history`: which files were applied to this node, by whom, what became of that, and what
// differs between two of them.

#include "state/history.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ranges>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/columns.hpp"
#include "base/duration_text.hpp"
#include "base/units.hpp"
#include "cli/command.hpp"
#include "cli/input/typed_line.hpp"
#include "cli/input/wrong_line.hpp"
#include "cli/json_output.hpp"
#include "cli/plan/own_node.hpp"
#include "cli/text/diff_text.hpp"
#include "cli/text/layout.hpp"
#include "protocol/paths.hpp"

namespace spark::cli {
namespace {

enum class HistoryView : std::uint8_t {
  kList,  ///< all generations
  kDiff,  ///< what differs between the files of two of them
};

constexpr std::array kHistoryViews{Word{"list", "all that was applied (the default)"},
                                   Word{"diff", "what differs between two files of it"}};
constexpr Value kHistoryViewValue{"WHAT", kHistoryViews};

struct HistoryArguments {
  HistoryView view = HistoryView::kList;
  std::optional<std::uint64_t> from;  ///< diff N
  std::optional<std::uint64_t> to;    ///< diff N M
};

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
                                              const HistoryArguments& own) {
  const auto in_force = state::in_force(history);
  const auto before = in_force ? state::last_good_before_now(history) : std::nullopt;
  const auto pick = [&](std::optional<std::uint64_t> number,
                        const std::optional<state::Generation>& otherwise,
                        const char* none) -> Result<state::Generation> {
    if (number) return state::generation_with(history, *number);
    return otherwise ? Result<state::Generation>(*otherwise) : fail(ErrorCode::kNotFound, none);
  };
  auto to = pick(own.to, in_force,
                 "no file is in force here: name two generations, as `history` lists them");
  if (!to) return std::unexpected(to.error());
  auto from = pick(own.from, before,
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
  const auto two = generations_to_compare(*known, own_options<HistoryArguments>(command));
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

ExitCode history(const Command& command) {
  const auto own = find_own_node(command);
  if (!own) return own.error();
  return own_options<HistoryArguments>(command).view == HistoryView::kDiff ? diff(command, *own)
                                                                           : list(command, *own);
}

constexpr auto kHistoryOptions = std::to_array<OptionRow>({
    {.names = "WHAT",
     .value = &kHistoryViewValue,
     .member = in<&HistoryArguments::view>(),
     .about = "list (the default), or diff: what differs between the files of two generations",
     .advice = "`sudo spark-reconcile history` lists all that was applied"},
    {.names = "N",
     .value = &Value::kGeneration,
     .member = in<&HistoryArguments::from>(),
     .about = "diff from this one (default: the one before the file in force)",
     .advice = "`sudo spark-reconcile history` lists them"},
    {.names = "M",
     .value = &Value::kGeneration,
     .member = in<&HistoryArguments::to>(),
     .about = "to this one (default: the file in force)",
     .advice = "`sudo spark-reconcile history` lists them"},
});

constexpr auto kHistoryMeant = std::to_array<Meaning>({
    {"--diff", "it is a word: `sudo spark-reconcile history diff`"},
    {"--all,-a", "it lists all: `sudo spark-reconcile history`"},
    {"--list", "without words it lists: `sudo spark-reconcile history`"},
});

/// "history 3".
std::string advise_history(const ExtraWord& extra) {
  return extra.line.arguments.size() == 1 && has_digits_alone(extra.argument.text)
             ? line_to_type({"history", "diff", extra.argument.text})
             : "";
}

std::string contradiction_of_history(const Arguments& arguments, const TypedLine& /*line*/) {
  const auto& own = own_options<HistoryArguments>(arguments);
  if (own.from && own.view != HistoryView::kDiff) {
    return "list shows all generations; what differs from one: " +
           line_to_type({"history", "diff", std::to_string(*own.from)});
  }
  return parse_decimal(arguments.node)
             ? "-n names a node, and all that was applied is shown by `sudo spark-reconcile "
               "history`"
             : "";
}

}  // namespace

extern const VerbSpec kHistoryVerb{
    .name = "history",
    .group = VerbGroup::kLook,
    .about = "show which files were applied here, and with what outcome",
    .needs_root = true,
    .names_unfinished = true,
    .options = own_rows<HistoryArguments>(kHistoryOptions),
    .meant = kHistoryMeant,
    .advise = advise_history,
    .check = contradiction_of_history,
    .run = history};

}  // namespace spark::cli
