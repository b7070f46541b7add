#include "cli/init/file_parts.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "kinds/common/kind.hpp"
#include "plan/free_subnet.hpp"
#include "plan/plan.hpp"
#include "plan/refusals.hpp"
#include "plan/routes_over_links.hpp"
#include "state/journal.hpp"
#include "state/select.hpp"

namespace spark::cli {

std::string cage_end(const std::string& node, int cage) {
  return yaml_word(fmt::format("{}:{}", node, cage));
}

Result<std::array<std::string, 2>> take_subnets(std::vector<IpPrefix>& taken) {
  std::array<std::string, 2> subnets;
  for (auto& text : subnets) {
    const auto subnet = plan::free_subnet(taken);
    if (!subnet) {
      return fail(ErrorCode::kNotFound,
                  "no subnet is free: addresses and routes here use 192.168.177.0/24 and all that "
                  "was tried after it");
    }
    taken.push_back(*subnet);
    text = subnet->text();
  }
  return subnets;
}

void begin_fabric(YamlText& yaml, std::string_view who_uses, bool has_switch) {
  yaml.comment(fmt::format(
      "A cage (QSFP port) has two rails, which are network devices of their own: so each "
      "cable has two subnets. {}",
      who_uses));
  yaml.line("fabric:");
  yaml.indent();
  yaml.line("mtu: 9000", has_switch ? "the ports of the switch need it too" : "");
}

void end_fabric(YamlText& yaml) {
  yaml.outdent();
  yaml.blank();
  yaml.line("environment: {}", "the variables for NCCL and others, for jobs to read");
  offer_first_week(yaml);
}

void offer_first_week(YamlText& yaml) {
  yaml.blank();
  yaml.comment(
      "No report of a real Spark is known yet. With this line the daemon tells what differs, and "
      "`spark-reconcile apply` alone corrects it; take it out after a week without a surprise:");
  yaml.command("drift: { default: report }");
}

void give_numbers(std::vector<int>& numbers) {
  std::set<int> used(numbers.begin(), numbers.end());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] != 0) continue;
    numbers[i] = static_cast<int>(i) + 1;
    while (!used.insert(numbers[i]).second) ++numbers[i];
  }
}

Result<config::Parsed> parse_own_text(const std::string& text) {
  auto parsed = config::parse(text);
  for (const auto& diagnostic : parsed.diagnostics) {
    if (diagnostic.severity == config::Severity::kError) {
      return fail(ErrorCode::kInvalid,
                  fmt::format("the file would be refused: {} [{}]; {}", diagnostic.message,
                              diagnostic.id, diagnostic.reason));
    }
  }
  return parsed;
}

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
