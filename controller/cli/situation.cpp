#include "cli/situation.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "cli/log.hpp"
#include "host/helper_program.hpp"
#include "reconcile/helper_needs.hpp"
#include "reconcile/objections.hpp"
#include "reconcile/release.hpp"

namespace spark {
namespace {

constexpr std::size_t kLargestFacts = 8UL * 1024 * 1024;

}  // namespace

Result<View> view_for(const Command& command) {
  if (command.arguments.facts.empty()) {
    return View(command.host);
  }
  const auto text = read_named_file(command.arguments.facts, kLargestFacts, FileUse::kLook);
  if (!text) return std::unexpected(text.error());
  return View::from_json(*text);
}

Result<Situation> look_at(const Command& command, ClusterFile file, View view, std::string& note) {
  auto selection = select(file.parsed.cluster, command.arguments.node, view);
  if (!selection) return std::unexpected(selection.error());
  const auto& node = selection->node;
  log_info(fmt::format("node {} of cluster {}", node.name, node.cluster));
  auto ledger = read_ledger(view, node.name);
  const auto unread = ledger ? std::nullopt : std::optional(ledger.error().code);
  if (unread == ErrorCode::kPermission || unread == ErrorCode::kUnsupported) {
    // The ledger is root's, and facts taken without a file lack it. Without it only what the kernel
    // marks as ours is known as such.
    note = fmt::format(
        "note: {}; what was adopted or changed by an earlier apply is not known, so removals may "
        "be "
        "missing below\n",
        ledger.error().what);
    ledger = Ledger{};
  }
  if (!ledger) return std::unexpected(ledger.error());
  if (command.arguments.release) {
    selection->node = released(selection->node, *ledger);
  }
  auto plan = make_plan(node, view, *ledger);
  log_info(fmt::format("{} steps, {} in sync", plan.steps.size(), plan.in_sync));
  add_objections(plan, node, view);
  if (command.arguments.facts.empty()) {
    std::ranges::move(find_missing_helpers(plan, check_helper),
                      std::back_inserter(plan.objections));
  }
  return Situation{std::move(file), std::move(view), std::move(*selection), std::move(*ledger),
                   std::move(plan)};
}

std::expected<Situation, ExitCode> take_in(const Command& command, ClusterFile file, View view) {
  if (const auto code = report_findings(command, file); code != ExitCode::kDone) {
    return std::unexpected(code);
  }
  std::string note;
  auto situation = look_at(command, std::move(file), std::move(view), note);
  if (!command.arguments.json && !command.arguments.quiet) {
    command.terminal.complain(note);
  }
  if (!situation) return std::unexpected(report_error(command, situation.error()));
  return *std::move(situation);
}

std::expected<Situation, ExitCode> take_in(const Command& command) {
  auto file = read_cluster_file(command.arguments, command.host.files);
  if (!file) return std::unexpected(report_error(command, file.error()));
  auto view = view_for(command);
  if (!view) return std::unexpected(report_error(command, view.error()));
  return take_in(command, std::move(*file), std::move(*view));
}

}  // namespace spark
