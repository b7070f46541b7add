#include "daemon/export/publish.hpp"

#include <fmt/format.h>

#include "daemon/export/metrics.hpp"
#include "daemon/export/peers_order_json.hpp"
#include "node_state/status_json.hpp"
#include "node_state/verdict_reason.hpp"
#include "protocol/paths.hpp"
#include "protocol/peers.hpp"
#include "protocol/web.hpp"

namespace spark::daemon {

namespace {

constexpr unsigned kForAll = 0644;

}  // namespace

bool publish(host::Files& files, const node_state::NodeDocument& document) {
  const auto& state = document.state;
  const auto& at = document.at;
  // First, so that who sees a new status and asks a verb sees no less there.
  bool all = publish_document(files, document);
  all &=
      files.write(protocol::kStatusFile, node_state::status_json(state, at), kForAll).has_value();
  static_cast<void>(files.write(protocol::kMetricsFile, metrics_text(state, at), kForAll));
  // Who reads it looks at each new one.
  const auto order = peers_order_json(state);
  if (files.read(protocol::kPeersOrderFile).value_or(std::nullopt) != order) {
    all &= files.write(protocol::kPeersOrderFile, order, kForAll).has_value();
  }
  return all;
}

bool publish_document(host::Files& files, const node_state::NodeDocument& document) {
  return files.write(protocol::kNodeStateFile, node_state::node_document_text(document), kForAll)
      .has_value();
}

void remove(host::Files& files) {
  static_cast<void>(files.remove(protocol::kStatusFile));
  static_cast<void>(files.remove(protocol::kMetricsFile));
  static_cast<void>(files.remove(protocol::kPublishedFile));
  static_cast<void>(files.remove(protocol::kEventsFile));
  static_cast<void>(files.remove(protocol::kPeersOrderFile));
  static_cast<void>(files.remove(protocol::kNodeStateFile));
  static_cast<void>(files.remove(protocol::kDaemonAliveFile));  // last: it says whether those count
}

std::string one_line(const NodeState& state) {
  if (state.released) {
    return fmt::format("{}: {}", state.node, release_text(state));
  }
  if (state.node.empty()) {
    return state.file.refused_first.empty() ? "no file in force"
                                            : "no file in force: " + state.file.refused_first;
  }
  auto line =
      fmt::format("{}: {}; {} in sync", state.node, gate::name_of(state.verdict), state.in_sync);
  if (!state.drifts.empty()) {
    line += fmt::format(", {} not as the file says", state.drifts.size());
  }
  if (!state.disturb_waits.empty()) {
    line += fmt::format(", {} waiting for a job", state.disturb_waits.size());
  }
  if (state.rollout) {
    line += fmt::format("; a changed file waits for {}", state.rollout->waits.front().node);
  }
  if (state.paused) {
    line += "; paused";
  }
  if (!state.mutes.empty()) {
    line += fmt::format("; {} muted", state.mutes.size());
  }
  if (!state.file.refused_first.empty()) {
    line += "; a newer file is refused: " + state.file.refused_first;
  }
  return line;
}

}  // namespace spark::daemon
