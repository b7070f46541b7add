#include "cli/doctor/daemon_check.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/moment.hpp"
#include "base/text.hpp"
#include "cli/doctor/checks.hpp"
#include "cli/doctor/wanted_node.hpp"
#include "cli/node_here.hpp"
#include "cli/text/daemon_text.hpp"
#include "node_state/verdict_reason.hpp"
#include "gate/checks/link_check.hpp"
#include "gate/checks/rdma_check.hpp"
#include "host/file_lock.hpp"
#include "protocol/paths.hpp"
#include "state/pause.hpp"

namespace spark::cli {
namespace {

/// The finding of another check that says what a fact of the gate says.
struct SaidBy {
  std::string_view fact;
  gate::Detail detail;
  std::string_view finding;
};
constexpr std::array kSaidBy{
    SaidBy{gate::kLinkFact.id, gate::Detail::kDown, "plan"},
    SaidBy{gate::kLinkFact.id, gate::Detail::kAbsent, "rails"},
    SaidBy{gate::kLinkFact.id, gate::Detail::kNoCarrier, "cable"},
    SaidBy{gate::kLinkFact.id, gate::Detail::kOtherCage, "cable"},
    SaidBy{gate::kLinkFact.id, gate::Detail::kPort, "port"},
    SaidBy{gate::kMtuFact.id, gate::Detail::kDiffers, "plan"},
    SaidBy{gate::kAddressFact.id, gate::Detail::kAbsent, "plan"},
    SaidBy{gate::kPortFact.id, gate::Detail::kAbsent, "rdma"},
    SaidBy{gate::kGidFact.id, gate::Detail::kAbsent, "plan"},
    SaidBy{gate::kGidFact.id, gate::Detail::kUnread, "plan"},
};

/// Empty: there is none.
std::string_view finding_of_fact(const gate::Fact& fact) {
  const auto* row = std::ranges::find_if(kSaidBy, [&fact](const SaidBy& said) {
    return said.fact == fact.id && said.detail == fact.detail;
  });
  return row == kSaidBy.end() ? "" : row->finding;
}

/// The finding that says what keeps the first rail from being ready, which is the reason that the
/// gate gives. Empty: of some rail, or of the node, no other finding says it.
std::string finding_of_gate(const gate::GateReport& gate) {
  const auto fails = [](const gate::Fact& fact) {
    return fact.counts && fact.verdict != gate::Verdict::kReady;
  };
  if (std::ranges::any_of(gate.node, fails)) return {};
  std::string first;
  for (const auto& rail : gate.rails) {
    // Those after it need it, or are seen once it holds.
    const auto failing = std::ranges::find_if(rail.facts, fails);
    if (failing == rail.facts.end()) continue;
    const auto finding = finding_of_fact(*failing);
    if (finding.empty()) return {};
    if (first.empty()) first = finding;
  }
  return first;
}

}  // namespace

Findings findings_of(const NodeHere& here, std::string_view refused_by) {
  const auto& state = here.state;
  Findings findings;
  if (!state.file.refused.empty()) {
    findings.push_back({"daemon", Severity::kPrevents,
                        fmt::format("it refuses the file: {}", printable(state.file.refused_first)),
                        "`spark-reconcile plan`", std::string(refused_by)});
  }
  for (const auto& resource : left_alone_by_daemon(state)) {
    const auto lines = lines_of(resource);
    // The lines after the first say what to do.
    std::vector<std::string> remedies;
    std::ranges::transform(lines | std::views::drop(1), std::back_inserter(remedies), fold_blanks);
    findings.push_back({"daemon", Severity::kPrevents,
                        fmt::format("it leaves alone {}", lines.front()),
                        remedies.empty() ? "`spark-reconcile events` shows what it did"
                                         : fmt::format("{}", fmt::join(remedies, "; "))});
  }
  if (state.verdict != gate::Verdict::kReady) {
    findings.push_back({"gate", Severity::kPrevents,
                        fmt::format("{}{}{} (at {})", name_of(state.verdict),
                                    here.why.empty() ? "" : ": ", here.why, utc_text(here.at.wall)),
                        "`spark-reconcile gate` shows what each rail lacks",
                        state.gate                      ? finding_of_gate(*state.gate)
                        : is_no_node_of_its_file(state) ? "plan"
                                                        : ""});
  }
  return findings;
}

Findings check_daemon(const Command& command) {
  auto& host = command.host;
  const auto holder = host::lock_holder(command.arguments.root, protocol::kDaemonLockFile);
  if (!holder) {
    return {{"daemon", Severity::kLook,
             fmt::format("whether it runs cannot be seen: {}", holder.error().what),
             "`systemctl status spark-reconcile`"}};
  }
  if (!*holder) {
    const auto file = file_here(command);
    const bool has_file = file || file.error().code != ErrorCode::kNotFound;
    return {{"daemon", Severity::kPrevents,
             "it does not run: no drift is corrected, and no alert is sent",
             has_file ? "`systemctl enable --now spark-reconcile`"
                      : "once there is a file: `systemctl enable --now spark-reconcile`",
             has_file ? "" : "file"}};
  }
  const auto word = node_here(host);
  if (word && *word && !(*word)->hangs.empty()) {
    return {{"daemon", Severity::kPrevents, (*word)->hangs, std::string(node_state::kRestartDaemon)}};
  }
  if (const auto paused = state::read_pause(host, now())) {
    return {{"daemon", Severity::kLook,
             fmt::format("it runs, and is paused{}{}", paused->reason.empty() ? "" : ": ",
                         paused->reason),
             "`spark-reconcile resume`"}};
  }
  if (!word) {
    return {{"daemon", Severity::kLook,
             fmt::format("it runs, and what it reports cannot be read: {}", word.error().what),
             std::string(node_state::kRestartDaemon)}};
  }
  if (!*word) {
    return {{"daemon", Severity::kLook, "it runs, and has reported nothing yet",
             "`spark-reconcile status`"}};
  }
  if ((*word)->state.released) {
    return {{"daemon", Severity::kLook, "it runs, and the node is " + (*word)->why,
             "`spark-reconcile resume` or `spark-reconcile apply`"}};
  }
  Findings findings{{"daemon", Severity::kGood, "it runs", ""}};
  // A valid file that is refused names this node not, or asks for what the plan refuses.
  const bool is_valid = check_file(command).front().severity == Severity::kGood;
  std::ranges::move(findings_of(**word, is_valid ? "plan" : "file"), std::back_inserter(findings));
  return findings;
}

bool daemon_leaves_alone(const Command& command, const std::vector<std::string>& resources) {
  const auto holder = host::lock_holder(command.arguments.root, protocol::kDaemonLockFile);
  const auto here = node_here(command.host).value_or(std::nullopt);
  if (!holder || !*holder || !here) return false;
  if (here->state.released) return true;
  return std::ranges::all_of(resources, [&](const std::string& resource) {
    return std::ranges::any_of(here->state.drifts, [&](const node_state::Drift& drift) {
      return drift.state != node_state::Drift::State::kDiffers &&
             fmt::format("{} {}", drift.kind, drift.key) == resource;
    });
  });
}

}  // namespace spark::cli
