#include "cli/doctor/daemon_check.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/moment.hpp"
#include "base/text.hpp"
#include "cli/doctor/checks.hpp"
#include "cli/doctor/wanted_node.hpp"
#include "cli/state_here/node_here.hpp"
#include "cli/text/daemon_text.hpp"
#include "diagnosis/kinds.hpp"
#include "diagnosis/texts.hpp"
#include "host/file_lock.hpp"
#include "node_state/problems.hpp"
#include "node_state/verdict_reason.hpp"
#include "protocol/paths.hpp"
#include "state/pause.hpp"

namespace spark::cli {
namespace {

/// Why the node is not ready, and what to do about the first of it.
Finding gate_finding(const NodeHere& here) {
  const auto& state = here.state;
  constexpr std::string_view kShow = "`spark-reconcile gate` shows what each rail lacks";
  Finding finding{
      .name = "gate",
      .severity = Severity::kPrevents,
      .what = fmt::format("{}{}{} (at {})", name_of(state.verdict), here.why.empty() ? "" : ": ",
                          here.why, utc_text(here.at.wall)),
      .remedy = std::string(kShow),
      .problems = node_state::problems_of(state, now()),
      .repeats = true};
  const auto diagnosis = diagnosis::diagnose(finding.problems, {.own = state.node});
  const auto* const root = node_state::decisive_root(state, diagnosis);
  if (const auto remedy = remedy_of_verdict(state); !remedy.empty()) {
    finding.remedy = fmt::format("{}; {}", printable(written(remedy)), kShow);
  }
  std::erase_if(finding.problems, [&](const diagnosis::Problem& problem) {
    return !problem.counts && (root == nullptr || problem != root->problem);
  });
  for (auto& problem : finding.problems) problem.node.clear();
  if (finding.problems.empty()) finding.problems = {problem_named(diagnosis::kVerdict)};
  return finding;
}

}  // namespace

Findings findings_of(const NodeHere& here) {
  const auto& state = here.state;
  const auto diagnosis = diagnosis_of(state, now());
  Findings findings;
  if (!state.file.refused.empty()) {
    findings.push_back(
        {"daemon",
         Severity::kPrevents,
         fmt::format("it refuses the file: {}", printable(state.file.refused_first)),
         written(remedy_where(diagnosis, node_state::is_named(diagnosis::kRefusedFile))),
         {problem_named(diagnosis::kRefusedFile)}});
  }
  for (const auto& drift : state.drifts) {
    if (drift.state == node_state::Drift::State::kDiffers) continue;
    findings.push_back(
        {"daemon",
         Severity::kPrevents,
         "it leaves alone " + drift_text(drift),
         printable(written(remedy_where(diagnosis, node_state::is_of_resource(drift)))),
         {problem_of_resource(drift.kind, drift.key, drift.on)}});
  }
  if (state.verdict != gate::Verdict::kReady) {
    findings.push_back(gate_finding(here));
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
    return {{"daemon",
             Severity::kPrevents,
             "it does not run: no drift is corrected, and no alert is sent",
             has_file ? "`systemctl enable --now spark-reconcile`"
                      : "once there is a file: `systemctl enable --now spark-reconcile`",
             {problem_named(diagnosis::kNoDaemon)}}};
  }
  const auto here = node_here(host);
  if (here && *here && !(*here)->hangs.empty()) {
    return {{"daemon",
             Severity::kPrevents,
             (*here)->hangs,
             std::string(node_state::kRestartDaemon),
             {problem_named(diagnosis::kNoDaemon)}}};
  }
  if (const auto paused = state::read_pause(host, now())) {
    return {{"daemon", Severity::kLook,
             fmt::format("it runs, and is paused{}{}", paused->reason.empty() ? "" : ": ",
                         paused->reason),
             "`spark-reconcile resume`"}};
  }
  if (!here) {
    return {{"daemon", Severity::kLook,
             fmt::format("it runs, and what it reports cannot be read: {}", here.error().what),
             std::string(node_state::kRestartDaemon)}};
  }
  if (!*here) {
    return {{"daemon", Severity::kLook, "it runs, and has reported nothing yet",
             "`spark-reconcile status`"}};
  }
  if ((*here)->state.released) {
    return {{"daemon",
             Severity::kLook,
             "it runs, and the node is " + (*here)->why,
             "`spark-reconcile resume` or `spark-reconcile apply`",
             {problem_named(diagnosis::kReleased)}}};
  }
  Findings findings{{"daemon", Severity::kGood, "it runs", ""}};
  std::ranges::move(findings_of(**here), std::back_inserter(findings));
  return findings;
}

}  // namespace spark::cli
