#include "cli/daemon_status.hpp"

#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/muted_alerts.hpp"
#include "daemon/common/verdict_reason.hpp"
#include "node_state/source_text.hpp"
#include "node_state/time_text.hpp"
#include "protocol/paths.hpp"

namespace spark::cli {
namespace {

// What is shown is made printable: some of it is what others call their files and processes.

}  // namespace

DaemonStatus daemon_status_of(const NodeHere& here) {
  const auto& state = here.state;
  const auto& file = state.file;
  DaemonStatus word{.node = printable(state.node),
                    .verdict = state.verdict,
                    .why = printable(here.hangs.empty() ? daemon::why_of(state) : state.pass_error),
                    .refused = file.refused.empty() ? "" : printable(file.refused_first),
                    .hangs = here.hangs,
                    .released = state.released.has_value(),
                    .file_waits = file.waits,
                    .muted = state.mutes,
                    .generated_at = utc_text(here.at.wall),
                    .file = file.path,
                    .digest = file.digest};
  if (const auto& paused = state.paused) {
    word.paused = printable(fmt::format("until {}{}", utc_text(paused->until.wall),
                                        paused->reason.empty() ? "" : ", " + paused->reason));
  }
  if (state.source) {
    for (const auto& line : node_state::source_lines(*state.source, file.digest)) {
      word.source.push_back(printable(line));
    }
  }
  for (const auto& link : state.links) {
    if (link.cabling) word.cables.emplace(link.name, *link.cabling);
  }
  for (const auto& drift : state.drifts) {
    if (drift.state != node_state::Drift::State::kDiffers)
      word.left_alone.push_back(drift_text(drift));
  }
  for (auto sign : state.hardware.signs) {
    if (!sign.is_fault) continue;
    for (auto* text : {&sign.subject, &sign.what, &sign.remedy}) *text = printable(*text);
    word.hardware.push_back(std::move(sign));
  }
  return word;
}

bool is_no_node_of_its_file(const DaemonStatus& word) {
  return word.node.empty() && word.refused.empty() && !word.digest.empty();
}

std::string drift_text(const node_state::Drift& drift) {
  const auto until =
      node_state::is_set(drift.held_until) ? " until " + utc_text(drift.held_until.wall) : "";
  auto text = printable(fmt::format("{} {}: {}{}: {}", drift.kind, drift.key, name_of(drift.state),
                                    until, drift.why));
  if (!drift.remedy.empty()) text += "\n    " + printable(drift.remedy);
  if (drift.state == node_state::Drift::State::kContested) {
    text += "\n    stop who changes it, then `spark-reconcile resume` corrects it again at once";
  }
  return text;
}

std::string daemon_lock(const std::string& root) {
  return (root == "/" ? "" : root) + protocol::kDaemonLockFile;
}

Result<std::optional<DaemonStatus>> read_last_status(host::Host& host) {
  const auto here = node_here(host);
  if (!here) return std::unexpected(here.error());
  return *here ? std::optional(daemon_status_of(**here)) : std::nullopt;
}

std::optional<gate::GateReport> read_last_gate(host::Host& host,
                                               const std::optional<std::string>& digest) {
  auto here = node_here(host).value_or(std::nullopt);
  if (!here || (digest && here->state.file.digest != *digest)) return std::nullopt;
  return std::move(here->state.gate);
}

std::string daemon_text(const DaemonStatus& word) {
  auto text = fmt::format("daemon: {}{}{} (at {})\n", name_of(word.verdict),
                          word.why.empty() ? "" : ": ", word.why, word.generated_at);
  for (const auto& line : word.source) text += fmt::format("  {}\n", line);
  if (!word.paused.empty()) {
    text += fmt::format("  paused {}; `spark-reconcile resume` ends it\n", word.paused);
  }
  text += muted_text(word.muted);
  if (word.file_waits) {
    text += "  the file has changed; it would be applied after `spark-reconcile resume`\n";
  }
  return text;
}

}  // namespace spark::cli
