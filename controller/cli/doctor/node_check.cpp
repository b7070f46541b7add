#include <algorithm>
#include <array>
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
#include "cli/doctor/daemon_check.hpp"
#include "cli/doctor/key_check.hpp"
#include "cli/doctor/wanted_node.hpp"
#include "cli/input/cluster_file.hpp"
#include "cli/plan_context.hpp"
#include "gate/common/cable_place.hpp"
#include "kinds/common/remedy.hpp"
#include "plan/helper_needs.hpp"
#include "protocol/paths.hpp"
#include "state/journal.hpp"
#include "state/select.hpp"

namespace spark::cli {
namespace {

/// A screen has room for a few.
constexpr std::size_t kMostNames = 4;
constexpr const char* kAbsentRails = "rails";

/// From which finding follows what is skipped for such a reason.
struct SkippedCause {
  std::string_view id;
  std::string_view finding;
};

constexpr std::array kSkippedCauses{
    SkippedCause{"SR-LINK-001", kAbsentRails},
    SkippedCause{"SR-ADDR-004", "port"},
    SkippedCause{"SR-ROCE-001", "rdma"},
    SkippedCause{"SR-ROCE-002", "rdma"},
};

/// Empty: it follows from none.
std::string cause_of_skipped(const kinds::Skipped& skipped) {
  const auto* const row = std::ranges::find(kSkippedCauses, skipped.id, &SkippedCause::id);
  return row == kSkippedCauses.end() ? std::string() : std::string(row->finding);
}

/// "mtu enp1s0f0np0, mtu enP2p1s0f0np0 and 3 more".
std::string names_text(std::vector<std::string> names) {
  const auto more = names.size() - std::min(names.size(), kMostNames);
  names.resize(names.size() - more);
  return fmt::format("{}{}", fmt::join(names, ", "),
                     more == 0 ? "" : fmt::format(" and {} more", more));
}

void add_plan(const Command& command, const plan::Plan& plan, Findings& findings) {
  for (const auto& refusal : plan.refusals) {
    if (refusal.id == plan::kNoHelper) {
      continue;  // doctor tries all helpers itself
    }
    findings.push_back({"plan", Severity::kPrevents,
                        fmt::format("{} [{}]", refusal.what, refusal.id),
                        "`spark-reconcile apply` changes nothing until that is done"});
  }
  if (!plan.steps.empty()) {
    std::vector<std::string> names;
    std::ranges::transform(plan.steps, std::back_inserter(names), &plan::Step::name);
    const bool are_left_alone = daemon_leaves_alone(command, names);
    findings.push_back(
        {"plan", Severity::kPrevents,
         fmt::format("{} from the file: {}",
                     names.size() == 1 ? "1 resource differs"
                                       : fmt::format("{} resources differ", names.size()),
                     names_text(names)),
         plan.refusals.empty()
             ? "`spark-reconcile plan` shows them, `spark-reconcile apply` sets them"
             : "`spark-reconcile plan` shows them",
         are_left_alone ? "daemon" : ""});
  }
}

/// The plan cannot be made for what check_ledger names too.
bool is_of_the_ledger(const Command& command, const Error& error) {
  const auto nodes = command.host.files.list(protocol::kStateDirectory);
  host::View view(command.host);
  return nodes && std::ranges::any_of(*nodes, [&](const std::string& node) {
           const auto ledger = state::known_ledger(view, node);
           return !ledger && ledger.error().what == error.what;
         });
}

/// The card is powered off or absent. Empty: a rail is here, or the file names none.
std::optional<Finding> absent_rails(const config::Node& node, host::View& view) {
  if (!view.links()) return std::nullopt;
  std::vector<std::string> rails;
  for (const auto& [name, wanted] : node.links) {
    if (wanted.role != config::LinkRole::kRail) continue;
    if (view.link(name) != nullptr) return std::nullopt;
    rails.push_back(name);
  }
  if (rails.empty()) return std::nullopt;
  return Finding{kAbsentRails, Severity::kPrevents,
                 fmt::format("none of the rails of the file is here: {}", names_text(rails)),
                 kinds::remedy_of_absent_card(view)};
}

/// One finding for each reason: an absent device keeps many resources waiting.
void add_skipped(const plan::Plan& plan, Findings& findings) {
  std::vector<std::pair<kinds::Skipped, std::vector<std::string>>> groups;
  for (const auto& item : plan.skipped) {
    if (item.skipped.why == kinds::Skipped::Why::kPending) {
      continue;  // it is as the file says, for whatever starts from now on
    }
    auto group = std::ranges::find(groups, item.skipped,
                                   &std::pair<kinds::Skipped, std::vector<std::string>>::first);
    if (group == groups.end()) {
      group = groups.insert(groups.end(), {item.skipped, {}});
    }
    group->second.push_back(fmt::format("{} {}", item.kind, item.key));
  }
  for (const auto& [skipped, names] : groups) {
    findings.push_back({"skipped", Severity::kPrevents,
                        fmt::format("{}: {} [{}]", names_text(names), skipped.reason, skipped.id),
                        "`spark-reconcile plan` shows each with its line in the file",
                        cause_of_skipped(skipped)});
  }
}

/// The rails of each cage that a cable or switch of the file leads to and that have no carrier. One
/// that is down says nothing about its cable.
std::map<int, std::vector<std::string>> unplugged(const config::Node& node, host::View& view) {
  std::map<int, std::vector<std::string>> cages;
  for (const auto& [name, wanted] : node.links) {
    const auto* link = view.link(name);
    if (wanted.role == config::LinkRole::kRail && wanted.rail && link != nullptr && link->up &&
        !link->carrier) {
      cages[wanted.rail->cage].push_back(name);
    }
  }
  return cages;
}

void add_cables(const config::Node& node, host::View& view, Findings& findings) {
  for (const auto& [cage, rails] : unplugged(node, view)) {
    const auto elsewhere = gate::cable_elsewhere(node, view, rails.front());
    findings.push_back({"cable", Severity::kPrevents,
                        fmt::format("no carrier in cage {}: {}", cage, fmt::join(rails, ", ")),
                        elsewhere.empty()
                            ? "plug the cable, or look at the other end: its port may be down"
                            : elsewhere});
  }
}

/// This machine is no node of the file. Empty: it is one.
std::optional<Finding> no_node(const Command& command, const ClusterFile& file) {
  if (!command.arguments.node.empty()) return std::nullopt;
  host::View view(command.host);
  auto none = state::why_no_node(file.parsed.cluster, view);
  return none ? std::optional(Finding{"plan", Severity::kPrevents, std::move(none->what),
                                      std::move(none->remedy)})
              : std::nullopt;
}

Findings observe_node(const Command& command, ClusterFile file) {
  if (auto none = no_node(command, file)) return {*std::move(none)};
  std::string note;  // what only root can read: doctor is run by root
  auto context = plan_context(command, std::move(file), host::View(command.host), note);
  if (!context) {
    return {{"plan", Severity::kPrevents, context.error().what, "`spark-reconcile plan`",
             is_of_the_ledger(command, context.error()) ? "ledger" : ""}};
  }
  Findings findings;
  add_plan(command, context->plan, findings);
  if (auto absent = absent_rails(context->selection.node, context->view)) {
    findings.push_back(std::move(*absent));
  }
  add_skipped(context->plan, findings);
  add_cables(context->selection.node, context->view, findings);
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
