#include "cli/text/all_nodes_text.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "base/columns.hpp"
#include "base/duration_text.hpp"
#include "base/lines.hpp"
#include "base/text.hpp"
#include "node_state/problems.hpp"
#include "node_state/status_json.hpp"

namespace spark::cli {
namespace {

using all_nodes::NodeProgress;
using all_nodes::Order;
using all_nodes::Progress;
using all_nodes::Stage;

struct StageSign {
  std::string_view sign;
  std::string_view word;
};

/// In the order of Stage.
constexpr std::array kSigns{
    StageSign{"…", "plans it"},   StageSign{"✗", "refused"}, StageSign{"…", "waits"},
    StageSign{"…", "applies it"}, StageSign{"✓", "applied"}, StageSign{"✓", "applied"},
    StageSign{"✗", "failed"},     StageSign{"✓", "kept"},    StageSign{"↩", "went back"}};

constexpr StageSign kSilent{"…", "not heard"};

const StageSign& sign_of(const NodeProgress& node) {
  return node.stage ? kSigns.at(static_cast<std::size_t>(*node.stage)) : kSilent;
}

bool has_ended(const NodeProgress& node) { return node.stage && all_nodes::has_ended(*node.stage); }

bool is_gate_known(const NodeProgress& node) {
  return node.stage == Stage::kOpen || node.stage == Stage::kKept || node.stage == Stage::kFailed;
}

/// "spark1 and spark2"; empty: there is none.
template <class Is>
std::string names_where(const Progress& progress, Is is) {
  std::vector<std::string> names;
  for (const auto& node : progress.nodes) {
    if (is(node)) names.push_back(printable(node.node));
  }
  return names.empty() ? std::string() : listed(names);
}

std::string names_at(const Progress& progress, Stage stage) {
  return names_where(progress, [stage](const auto& node) { return node.stage == stage; });
}

/// "both", "all three".
std::string all_of_them(std::size_t count) {
  constexpr std::array<std::string_view, 5> kWords{"no node", "this node", "both", "all three",
                                                   "all four"};
  return count < kWords.size() ? std::string(kWords.at(count)) : fmt::format("all {}", count);
}

/// The jobs that end come first.
std::vector<std::string> disturbed_by(const NodeProgress& node) {
  std::vector<std::string> all;
  for (const auto* lines : {&node.plan.jobs, &node.plan.disturbs}) {
    for (const auto& line : *lines) all.push_back(printable(line));
  }
  return all;
}

/// As plan::Plan::status().
ExitCode status_of(const all_nodes::PlanTold& plan) {
  return plan.unknown > 0   ? ExitCode::kUnknown
         : plan.waiting > 0 ? ExitCode::kWaiting
         : plan.changes > 0 ? ExitCode::kDifferences
                            : ExitCode::kDone;
}

/// What kept a gate from being as good as before, a line a node; `but`: it is told already.
std::string whys_text(const Progress& progress, const std::string& but) {
  std::string text;
  for (const auto& node : progress.nodes) {
    auto why = fmt::format("{}: {}", node.node, node.why);
    if (!node.why.empty() && why != but) text += printable(why) + "\n";
  }
  return text;
}

/// `above`: what the node of the line above disturbs.
std::string plan_of_node(const NodeProgress& node, const std::vector<std::string>& above) {
  if (!node.stage || node.stage == Stage::kHeard) return "has not answered";
  if (node.stage == Stage::kRefused) return "refused: " + printable(node.why);
  const auto& [changes, waiting, unknown, disturbed, jobs, steps] = node.plan;
  auto text = changes > 0         ? counted(changes, "change")
              : waiting + unknown ? std::string("nothing to do now")
                                  : std::string("nothing to do");
  if (waiting > 0) text += fmt::format(", {} waiting", waiting);
  if (unknown > 0) text += fmt::format(", {} unknown", unknown);
  const auto disturbs = disturbed_by(node);
  if (disturbs.empty()) return text;
  return fmt::format("{}, {}", text,
                     disturbs == above ? "the same" : fmt::format("{}", fmt::join(disturbs, ", ")));
}

}  // namespace

AllNodesEnd end_of(const Progress& progress, bool is_approved) {
  if (all_nodes::is_mixed(progress)) return AllNodesEnd::kMixed;
  if (all_nodes::is_over(progress)) {
    if (!names_at(progress, Stage::kKept).empty()) return AllNodesEnd::kKept;
    // One that this node never took, or yielded, has begun nowhere.
    const auto own = progress.nodes.empty() ? std::nullopt : progress.nodes.front().stage;
    const bool has_begun = is_approved && own && *own != Stage::kRefused;
    return has_begun ? AllNodesEnd::kRolledBack : AllNodesEnd::kRefused;
  }
  return !is_approved && progress.order == Order::kBack ? AllNodesEnd::kRefused
                                                        : AllNodesEnd::kUnknown;
}

ExitCode exit_code_of(AllNodesEnd end, const Progress& progress, bool is_detailed) {
  switch (end) {
    case AllNodesEnd::kPlanned: {
      auto code = ExitCode::kDone;
      for (const auto& node : progress.nodes) code = worse(code, status_of(node.plan));
      return is_detailed ? code : ExitCode::kDone;
    }
    case AllNodesEnd::kKept:
      return ExitCode::kDone;
    case AllNodesEnd::kRefused:
      return ExitCode::kRefused;
    case AllNodesEnd::kRolledBack:
      return ExitCode::kRolledBack;
    case AllNodesEnd::kMixed:
    case AllNodesEnd::kUnknown:
      return ExitCode::kRollbackIncomplete;
  }
  return ExitCode::kError;
}

std::string plans_text(const Progress& progress, bool has_steps, const Terminal& terminal) {
  std::vector<std::string> names;
  std::size_t width = 0;
  for (const auto& node : progress.nodes) {
    names.push_back(printable(node.node) + (names.empty() ? " (here)" : ""));
    width = std::max(width, columns(names.back()));
  }
  std::string text;
  std::vector<std::string> above;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& node = progress.nodes[i];
    text += fmt::format("{}  {}\n", padded(names[i], width), plan_of_node(node, above));
    if (node.plan.changes > 0) above = disturbed_by(node);
    if (!has_steps) continue;
    for (const auto& step : node.plan.steps) text += fmt::format("    {}\n", printable(step));
  }
  return in_lines(text, terminal.width());
}

std::string all_nodes_question(const Progress& progress, std::chrono::milliseconds within) {
  const bool ends_jobs =
      std::ranges::any_of(progress.nodes, [](const auto& node) { return !node.plan.jobs.empty(); });
  return fmt::format(
      "{}Apply on {}, and roll all back unless every gate is as good as before within {}? "
      "[y/N] ",
      ends_jobs ? "A job that runs now uses what this disturbs. " : "",
      all_of_them(progress.nodes.size()), duration_text(within));
}

std::string passing_text(const Progress& progress) {
  std::string text;
  for (const auto& node : progress.nodes) {
    const auto& shown = sign_of(node);
    text += fmt::format("{} {} {}  ", printable(node.node), shown.sign, shown.word);
  }
  if (std::ranges::none_of(progress.nodes, is_gate_known)) return without_end_blanks(text);
  text += "gates:";
  for (const auto& node : progress.nodes) {
    text += !is_gate_known(node) ? " ·" : node.stage == Stage::kFailed ? " ✗" : " ✓";
  }
  return text;
}

std::string news_text(const Progress& before, const Progress& progress) {
  std::string text;
  for (const auto& node : progress.nodes) {
    const auto known = std::ranges::find(before.nodes, node.node, &NodeProgress::node);
    const bool is_known =
        known != before.nodes.end() && known->stage == node.stage && known->why == node.why;
    if (is_known || !node.stage) continue;
    text += printable(fmt::format(
        "{}: {}{}{}", node.node,
        node.stage == Stage::kOpen ? "its gate is as good as before" : sign_of(node).word,
        node.why.empty() ? "" : ": ", node.why));
    text += "\n";
  }
  return text;
}

std::string end_text(const Progress& progress, AllNodesEnd end) {
  const auto why =
      progress.why.empty() ? std::string("no decision came in time") : printable(progress.why);
  switch (end) {
    case AllNodesEnd::kPlanned:
      return "Only planned: nothing was changed on any node.\n";
    case AllNodesEnd::kKept:
      return fmt::format("kept on {}: every gate is as good as before\n",
                         all_of_them(progress.nodes.size()));
    case AllNodesEnd::kRefused:
      return fmt::format("refused: {}; nothing was changed on any node\n", why);
    case AllNodesEnd::kRolledBack:
      return fmt::format("rolled back on {}: {}\n{}", all_of_them(progress.nodes.size()), why,
                         whys_text(progress, progress.why));
    case AllNodesEnd::kMixed:
      return fmt::format("{} kept the file, and {} went back: {}\n",
                         names_at(progress, Stage::kKept), names_at(progress, Stage::kBack),
                         node_state::kRemedyOfMixed);
    case AllNodesEnd::kUnknown:
      return fmt::format("{}; how it ended is not heard of {}: `spark-reconcile status` shows it\n",
                         progress.order == Order::kKeep   ? "decided: it is kept"
                         : progress.order == Order::kBack ? "decided: all go back: " + why
                                                          : "nothing is decided",
                         names_where(progress, [](const auto& node) { return !has_ended(node); }));
  }
  return {};
}

bool is_pending_here(const Progress& progress) {
  return !progress.nodes.empty() && progress.nodes.front().stage &&
         !has_ended(progress.nodes.front());
}

std::string who_offers(const Progress& progress) {
  return printable(fmt::format("{} on {}", progress.terms.by, progress.terms.origin));
}

std::string pending_text(const Progress& progress) {
  if (!is_pending_here(progress)) return {};
  return progress.until
             ? fmt::format(
                   "pending until {}: {} offers another file; this node goes back by "
                   "itself unless all nodes keep it",
                   utc_text(progress.until->wall), who_offers(progress))
             : fmt::format("{} offers another file to all nodes; nothing of it is applied here",
                           who_offers(progress));
}

nlohmann::json to_json(const Progress& progress, AllNodesEnd end) {
  auto json = node_state::to_json(progress);
  json["outcome"] = kAllNodesEnds.at(static_cast<std::size_t>(end));
  return json;
}

}  // namespace spark::cli
