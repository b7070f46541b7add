#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "cli/doctor/checks.hpp"
#include "cli/doctor/key_check.hpp"
#include "cli/doctor/wanted_node.hpp"
#include "cli/input/cluster_file.hpp"
#include "cli/plan/plan_context.hpp"
#include "diagnosis/kinds.hpp"
#include "gate/checks/checks.hpp"
#include "gate/gate.hpp"
#include "plan/refusals.hpp"
#include "protocol/paths.hpp"
#include "state/journal.hpp"
#include "state/select.hpp"

namespace spark::cli {
namespace {

/// A screen has room for a few.
constexpr std::size_t kMostNames = 4;

/// Why what the file asks for cannot be planned, or be carried out, here and now.
diagnosis::Problem no_plan(std::optional<gate::Detail> detail, const std::string& id = {}) {
  auto problem = problem_named(diagnosis::kPlan, detail);
  problem.found.id = id;
  return problem;
}

/// "mtu enp1s0f0np0, mtu enP2p1s0f0np0 and 3 more".
std::string names_text(std::vector<std::string> names) {
  const auto more = names.size() - std::min(names.size(), kMostNames);
  names.resize(names.size() - more);
  return fmt::format("{}{}", fmt::join(names, ", "),
                     more == 0 ? "" : fmt::format(" and {} more", more));
}

void add_plan(const plan::Plan& plan, Findings& findings) {
  for (const auto& refusal : plan.refusals) {
    if (refusal.id == plan::kNoHelper) {
      continue;  // doctor tries all helpers itself
    }
    findings.push_back({"plan",
                        Severity::kPrevents,
                        fmt::format("{} [{}]", refusal.what, refusal.id),
                        "`spark-reconcile apply` changes nothing until that is done",
                        {no_plan({}, refusal.id)}});
  }
  if (!plan.steps.empty()) {
    std::vector<std::string> names;
    std::vector<diagnosis::Problem> problems;
    for (const auto& step : plan.steps) {
      names.push_back(step.name());
      problems.push_back(problem_of_resource(step.kind, step.key, step.on));
    }
    findings.push_back(
        {"plan", Severity::kPrevents,
         fmt::format("{} from the file: {}",
                     names.size() == 1 ? "1 resource differs"
                                       : fmt::format("{} resources differ", names.size()),
                     names_text(names)),
         plan.refusals.empty()
             ? "`spark-reconcile plan` shows them, `spark-reconcile apply` sets them"
             : "`spark-reconcile plan` shows them",
         std::move(problems)});
  }
}

diagnosis::Problem problem_of_skipped(const plan::SkippedResource& item) {
  auto problem = problem_of_resource(item.kind, item.key, item.on);
  problem.found.id = item.skipped.id;
  problem.found.name = item.kind;
  problem.found.detail = gate::Detail::kSkipped;
  return problem;
}

/// One finding for each reason: an absent device keeps many resources waiting.
void add_skipped(const plan::Plan& plan, Findings& findings) {
  struct Group {
    kinds::Skipped skipped;
    std::vector<std::string> names;
    std::vector<diagnosis::Problem> problems;
  };
  std::vector<Group> groups;
  for (const auto& item : plan.skipped) {
    if (item.skipped.why == kinds::Skipped::Why::kPending) {
      continue;  // it is as the file says, for whatever starts from now on
    }
    auto group = std::ranges::find(groups, item.skipped, &Group::skipped);
    if (group == groups.end()) {
      group = groups.insert(groups.end(), {item.skipped, {}, {}});
    }
    group->names.push_back(fmt::format("{} {}", item.kind, item.key));
    group->problems.push_back(problem_of_skipped(item));
  }
  for (auto& [skipped, names, problems] : groups) {
    // The settings of a link are skipped for what is wrong with the link.
    const auto is_of_none = [](const diagnosis::Problem& problem) {
      return problem.found.link.empty();
    };
    if (!std::ranges::all_of(problems, is_of_none)) std::erase_if(problems, is_of_none);
    findings.push_back({"skipped", Severity::kPrevents,
                        fmt::format("{}: {} [{}]", names_text(names), skipped.reason, skipped.id),
                        "`spark-reconcile plan` shows each with its line in the file",
                        std::move(problems)});
  }
}

/// Links of which the gate says the same.
struct SameLinks {
  std::set<std::string> names;
  std::vector<diagnosis::Problem> problems;
  std::string remedy;

  void add(const std::string& link, diagnosis::Problem problem, const std::string& what_to_do) {
    if (!names.insert(link).second) return;  // it has several addresses
    problems.push_back(std::move(problem));
    remedy = what_to_do;
  }
  [[nodiscard]] std::string text() const { return names_text({names.begin(), names.end()}); }
};

/// What the gate says of the links of the rails: the card is powered off or absent, or a cable is
/// not plugged in. Of a link that is down the plan says it.
void add_rail_links(const Command& command, const config::Node& node, host::View& view,
                    Findings& findings) {
  SameLinks absent;
  std::map<std::optional<int>, SameLinks> unplugged;  // by cage
  std::size_t here = 0;
  for (const auto& rail : gate::rails_in_tables(command.host, view, node)) {
    const auto& fact = rail.facts.front();
    const auto detail = fact.detail;
    const auto& place = node.links.at(rail.link).rail;
    const auto cage = place ? std::optional(place->cage) : std::nullopt;
    if (detail == gate::Detail::kAbsent) {
      absent.add(rail.link, problem_of(gate::kLinkFact, *detail, rail.link), fact.remedy);
    } else if (detail == gate::Detail::kNoCarrier || detail == gate::Detail::kOtherCage) {
      unplugged[cage].add(rail.link, problem_of(gate::kLinkFact, *detail, rail.link), fact.remedy);
    }
    here += detail == gate::Detail::kAbsent ? 0 : 1;
  }
  if (!absent.names.empty()) {
    findings.push_back({"rails", Severity::kPrevents,
                        fmt::format("{}: {}",
                                    here == 0 ? "none of the rails of the file is here"
                                              : "a rail of the file is not here",
                                    absent.text()),
                        absent.remedy, std::move(absent.problems)});
  }
  for (auto& [cage, links] : unplugged) {
    findings.push_back({"cable", Severity::kPrevents,
                        fmt::format("no carrier{}: {}",
                                    cage ? fmt::format(" in cage {}", *cage) : "", links.text()),
                        links.remedy, std::move(links.problems)});
  }
}

/// This machine is no node of the file. Empty: it is one.
std::optional<Finding> no_node(const Command& command, const ClusterFile& file) {
  if (!command.arguments.node.empty()) return std::nullopt;
  host::View view(command.host);
  auto none = state::why_no_node(file.parsed.cluster, view);
  return none ? std::optional(Finding{"plan",
                                      Severity::kPrevents,
                                      std::move(none->what),
                                      std::move(none->remedy),
                                      {no_plan(gate::Detail::kAbsent)}})
              : std::nullopt;
}

Findings observe_node(const Command& command, ClusterFile file) {
  if (auto none = no_node(command, file)) return {*std::move(none)};
  std::string note;  // what only root can read: doctor is run by root
  auto context = plan_context(command, std::move(file), host::View(command.host), note);
  if (!context) {
    return {{"plan",
             Severity::kPrevents,
             context.error().what,
             "`spark-reconcile plan`",
             {no_plan(gate::Detail::kUnread)}}};
  }
  Findings findings;
  add_plan(context->plan, findings);
  add_rail_links(command, context->selection.node, context->view, findings);
  add_skipped(context->plan, findings);
  if (findings.empty()) {
    findings.push_back(
        {"plan", Severity::kGood,
         fmt::format("all {} are as the file says", counted(context->plan.in_sync, "resource")),
         ""});
  }
  if (auto key = key_finding(command, context->selection.node)) {
    findings.push_back(std::move(*key));
  }
  return findings;
}

}  // namespace

Findings check_node(const Command& command) {
  auto file = file_here(command);
  return file && file->valid() ? observe_node(command, *std::move(file)) : Findings{};
}

}  // namespace spark::cli
