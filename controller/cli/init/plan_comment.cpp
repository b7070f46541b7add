#include <algorithm>
#include <iterator>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "cli/init/file_parts.hpp"
#include "kinds/common/kind.hpp"
#include "plan/plan.hpp"
#include "plan/refusals.hpp"
#include "plan/routes_over_links.hpp"
#include "state/journal.hpp"
#include "state/select.hpp"

namespace spark::cli {
namespace {

bool disturbs(const plan::Step& step) {
  return step.effect.disturbs != kinds::Effect::Disturbs::kNothing;
}

void add_steps(const plan::Plan& plan, std::vector<std::string>& lines) {
  if (plan.steps.empty()) {
    lines.push_back(fmt::format("`plan` on this file had nothing to do here: {} in sync.",
                                counted(plan.in_sync, "resource")));
    return;
  }
  const auto disturbing = std::ranges::count_if(plan.steps, disturbs);
  lines.push_back(
      fmt::format("`plan` on this file had {} here; {}:", counted(plan.steps.size(), "step"),
                  disturbing == 0 ? "none disturbs what runs"
                                  : fmt::format("{} (marked *) disturbs what runs", disturbing)));
  for (const auto& step : plan.steps) {
    lines.push_back(fmt::format(" {}{}: {} → {}", disturbs(step) ? "* " : "", step.name(),
                                or_absent(step.before), or_absent(step.after)));
  }
}

/// The same reason once, for all that it is true of.
void add_skipped(const plan::Plan& plan, std::vector<std::string>& lines) {
  std::map<std::string, std::vector<std::string>> skipped;
  for (const auto& item : plan.skipped) {
    skipped[fmt::format("{} [{}]", item.skipped.reason, item.skipped.id)].push_back(
        fmt::format("{} {}", item.kind, item.key));
  }
  if (!skipped.empty()) lines.emplace_back("It skipped:");
  for (const auto& [reason, what] : skipped) {
    lines.push_back(fmt::format(" {}: {}", fmt::join(what, ", "), reason));
  }
}

}  // namespace

std::vector<std::string> plan_comment(const config::Cluster& cluster, const std::string& node,
                                      host::View& view) {
  const auto selection = state::select(cluster, node, view);
  if (!selection) {
    return {fmt::format("`plan` on this file could not be made here: {}", selection.error().what)};
  }
  // Only root reads it. Without it no more than a removal is unknown, and a new file removes
  // nothing.
  const auto ledger = state::known_ledger(view, node).value_or(kinds::Ledger{});
  auto plan = plan::make_plan(selection->node, view, ledger);
  plan::add_refusals(plan, selection->node, view, ledger);
  std::ranges::move(plan::left_on_links(selection->node, view),
                    std::back_inserter(plan.left_unchanged));
  std::vector<std::string> lines;
  add_steps(plan, lines);
  for (const auto& refusal : plan.refusals) {
    lines.push_back(fmt::format("`apply` would be refused: {} [{}]", refusal.what, refusal.id));
  }
  add_skipped(plan, lines);
  if (!plan.left_unchanged.empty()) lines.emplace_back("It leaves unchanged:");
  for (const auto& [what, reason] : plan.left_unchanged) {
    lines.push_back(fmt::format(" {}: {}", what, reason));
  }
  return lines;
}

}  // namespace spark::cli
