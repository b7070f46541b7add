// `gate --checklist`: what only a real Spark can tell, and what this one says.

#include "cli/verbs/gate_checklist.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/init/new_file.hpp"
#include "cli/json_output.hpp"
#include "cli/state_here/node_here.hpp"
#include "cli/text/layout.hpp"
#include "cli/version.hpp"
#include "gate/checklist.hpp"

namespace spark::cli {
namespace {

using ItemAnswer = gate::ChecklistAnswer;
using gate::ChecklistResult;

constexpr std::size_t kPostedColumns = 100;

std::string sign_of(ItemAnswer answer, const Terminal& terminal) {
  switch (answer) {
    case ItemAnswer::kAsExpected:
      return terminal.paint(Tone::kGood, "✓");
    case ItemAnswer::kDifferent:
      return terminal.paint(Tone::kChange, "!");
    case ItemAnswer::kByHand:
      return "□";
    case ItemAnswer::kNotHere:
      return terminal.paint(Tone::kFaint, "-");
  }
  return "";
}

std::string result_text(const ChecklistResult& result, const Terminal& terminal) {
  const auto& item = result.item;
  const auto width = terminal.width().value_or(SIZE_MAX);
  const auto state = in_words(name_of(result.answer));
  auto text = fmt::format("{} {}: {}\n", sign_of(result.answer, terminal),
                          terminal.paint(Tone::kStrong, item.name), state);
  text += hanging("    ", item.question, width);
  if (!result.seen.empty()) text += hanging("    seen:      ", printable(result.seen), width);
  if (result.answer == ItemAnswer::kByHand || result.answer == ItemAnswer::kDifferent) {
    text += hanging("    expected:  ", item.expected, width);
  }
  if (result.answer == ItemAnswer::kByHand) text += hanging("    do:        ", item.steps, width);
  return text + "\n";
}

std::string list_text(const std::vector<ChecklistResult>& results, const Terminal& terminal) {
  std::string text = "What only a real Spark can tell; twenty minutes.\n\n";
  for (const auto& result : results) text += result_text(result, terminal);
  return text;
}

std::string answer_counts(const std::vector<ChecklistResult>& results, const Terminal& terminal) {
  const auto count_of = [&](ItemAnswer answer) {
    return std::ranges::count(results, answer, &ChecklistResult::answer);
  };
  return fitting(
      fmt::format("{} as expected, {} different, {} by hand, {} not here; nothing was changed\n",
                  count_of(ItemAnswer::kAsExpected), count_of(ItemAnswer::kDifferent),
                  count_of(ItemAnswer::kByHand), count_of(ItemAnswer::kNotHere)),
      terminal);
}

/// What a reader elsewhere has to know first: the release of everything that answers. No name of
/// the machine, and no address.
std::string posted_text(const std::vector<ChecklistResult>& results, host::View& view) {
  const auto& identity = view.identity();
  std::string text =
      fmt::format("spark-reconcile {} {}\nkernel {}\n", version_number(), version_commit(),
                  identity ? identity->kernel : identity.error().what);
  for (const auto* path : {"/etc/os-release", "/etc/dgx-release"}) {
    if (const auto& release = view.file(path); release && *release) text += release->value();
  }
  const Terminal plain(nullptr, nullptr, Color::kNever, false, kPostedColumns);
  return text + "\n" + list_text(results, plain) + answer_counts(results, plain);
}

nlohmann::json results_json(const std::vector<ChecklistResult>& results) {
  auto list = nlohmann::json::array();
  for (const auto& [item, answer, seen] : results) {
    list.push_back({{"name", item.name},
                    {"question", item.question},
                    {"expected", item.expected},
                    {"steps", item.steps},
                    {"answer", name_of(answer)},
                    {"seen", seen}});
  }
  return list;
}

}  // namespace

ExitCode gate_checklist(const Command& command, const std::string& out) {
  host::View view(command.host);
  const auto results = gate::go_through_checklist(view, read_last_gate(command.host));
  const auto& terminal = command.terminal;
  const auto& arguments = command.arguments;
  std::string posted;
  if (!out.empty()) {
    posted = posted_text(results, view);
    if (const auto written = write_new_file(out, posted); !written) {
      return report_error(command, written.error());
    }
  }
  if (arguments.json) {
    nlohmann::json body{{"checklist", results_json(results)}};
    if (!posted.empty()) add_artifact(body, out, "text/plain", posted);
    print_json(terminal, "gate", config::Cluster{}, "", ExitCode::kDone, body);
    return ExitCode::kDone;
  }
  if (!posted.empty()) {
    terminal.print_always(answer_counts(results, terminal));
    terminal.print(fmt::format("wrote {}: add your own answers, and post it\n", printable(out)));
    return ExitCode::kDone;
  }
  terminal.print(list_text(results, terminal));
  terminal.print_always(answer_counts(results, terminal));
  print_next(terminal, arguments, "A report for others",
             command_line_for("facts --share", arguments));
  return ExitCode::kDone;
}

}  // namespace spark::cli
