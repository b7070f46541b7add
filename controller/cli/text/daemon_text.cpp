#include "cli/text/daemon_text.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/text/all_nodes_text.hpp"
#include "cli/text/muted_alerts.hpp"
#include "node_state/problems.hpp"
#include "node_state/source_text.hpp"
#include "node_state/time_text.hpp"

namespace spark::cli {
namespace {

// What is shown is made printable: some of it is what others call their files and processes.

std::string paused_line(const state::Paused& paused) {
  return printable(fmt::format("paused until {}{}", utc_text(paused.until.wall),
                               paused.reason.empty() ? "" : ", " + paused.reason)) +
         "; `spark-reconcile resume` ends it";
}

}  // namespace

std::string drift_text(const node_state::Drift& drift) {
  const auto until =
      node_state::is_set(drift.held_until) ? " until " + utc_text(drift.held_until.wall) : "";
  return printable(fmt::format("{} {}: {}{}: {}", drift.kind, drift.key, name_of(drift.state),
                               until, drift.why));
}

std::string daemon_notes(const node_state::NodeState& state, bool has_commit) {
  std::string text;
  const auto add = [&](const std::string& line) { text += fmt::format("  {}\n", line); };
  if (state.source) {
    for (const auto& line : source_lines(*state.source, state.file.digest, has_commit)) {
      add(printable(line));
    }
  }
  if (state.paused) add(paused_line(*state.paused));
  if (const auto pending = state.all_nodes ? pending_text(*state.all_nodes) : "";
      !pending.empty()) {
    add(pending);
  }
  text += muted_text(state.mutes);
  if (state.file.waits) {
    add("the file has changed; it would be applied after `spark-reconcile resume`");
  }
  if (state.file.waits_for_all) {
    add(fmt::format("the file has changed and waits: {}", node_state::kRemedyOfWaitForAll));
  }
  return text;
}

std::string daemon_text(const NodeHere& here) {
  return fmt::format("daemon: {}{}{} (at {})\n", name_of(here.state.verdict),
                     here.why.empty() ? "" : ": ", here.why, utc_text(here.at.wall)) +
         daemon_notes(here.state, false);
}

}  // namespace spark::cli
