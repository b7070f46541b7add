#include "daemon/export/publish.hpp"

#include <algorithm>
#include <array>
#include <ranges>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json_document.hpp"
#include "daemon/export/metrics.hpp"
#include "gate/checks/checks.hpp"
#include "host/hardware_signs.hpp"
#include "host/processes.hpp"
#include "node_state/status_json.hpp"
#include "node_state/verdict_reason.hpp"
#include "protocol/paths.hpp"
#include "protocol/peers.hpp"
#include "protocol/records.hpp"
#include "protocol/web.hpp"

namespace spark::daemon {
namespace {

using protocol::RailDetails;

/// What RDMA needs of one end.
constexpr std::array<std::string_view, 7> kNeeded{
    gate::kLinkFact.id, gate::kMtuFact.id,     gate::kAddressFact.id, gate::kPortFact.id,
    gate::kGidFact.id,  gate::kPathMtuFact.id, gate::kLoopbackFact.id};

/// What RDMA lacks at this end, into the details. `is_waiting`: it may come by itself.
void set_fault(RailDetails& rail, bool is_waiting, std::string fault) {
  rail.fault = std::move(fault);
  rail.waits = is_waiting;
}

void look_for_fault(RailDetails& rail, const NodeState& state) {
  if (!rail.carrier) return set_fault(rail, true, "no carrier on " + rail.link);
  if (!state.gate) return set_fault(rail, true, "its gate was not observed yet");
  const auto found = std::ranges::find_if(state.gate->rails, [&](const gate::RailFacts& facts) {
    return facts.link == rail.link && rail.ip && facts.ip == *rail.ip;
  });
  if (found == state.gate->rails.end()) {
    return set_fault(rail, true, "no address for " + rail.link);
  }
  for (const auto& fact : found->facts) {
    if (fact.verdict != gate::Verdict::kReady &&
        std::ranges::find(kNeeded, fact.id) != kNeeded.end()) {
      return set_fault(rail, fact.verdict != gate::Verdict::kNotReady,
                       gate::reason_text(fact, rail.link));
    }
  }
  if (rail.device.empty()) set_fault(rail, false, "no RDMA device on " + rail.link);
}

/// What people compare between nodes. All cards of a node have one firmware, or both are named.
void add_versions(const NodeState& state, protocol::NodeDetails& own) {
  if (state.gate && state.gate->service_memlock) {
    own.memlock = host::memlock_text(*state.gate->service_memlock);
  }
  if (!state.hardware.facts) return;
  const auto& facts = *state.hardware.facts;
  std::set<std::string> firmwares;
  std::set<std::string> drivers;
  for (const auto& link : facts.links) {
    if (!host::is_connectx(link)) continue;
    if (!link.firmware.empty()) firmwares.insert(link.firmware);
    // Of a driver of the kernel that is the kernel's release, which is told already.
    drivers.insert(link.driver_version.empty() || link.driver_version == facts.kernel
                       ? link.driver
                       : fmt::format("{} {}", link.driver, link.driver_version));
  }
  own.firmware = fmt::format("{}", fmt::join(firmwares, ", "));
  own.driver = fmt::format("{}", fmt::join(drivers, ", "));
  own.dgx_os = facts.dgx_os;
  own.gpu_driver = facts.gpu_driver;
}

/// The file that this node has not taken for good: others wait for it in a roll-out.
std::string candidate_of(const NodeState& state) {
  if (state.rollout) return state.rollout->digest;
  if (state.source && state.source->digest != state.file.digest) {
    const auto& bad = state.source->bad;
    // What failed here, or is refused, is not taken later.
    const bool is_bad =
        std::ranges::find(bad, state.source->digest, &state::BadFile::digest) != bad.end();
    return is_bad || !state.file.refused.empty() ? std::string() : state.source->digest;
  }
  const bool is_judged = state.gate && state.gate_at.boot >= state.file.since.boot;
  const bool is_open = !is_judged || (state.source && state.source->on_trial);
  return is_open ? state.file.digest : std::string();
}

/// What the last look found of the way to each peer.
void add_reach(const NodeState& state, protocol::PeersOrder& order) {
  if (!state.gate || order.peers.size() > protocol::kMostReach) return;
  for (const auto& peer : order.peers) {
    const auto rail = std::ranges::find_if(state.gate->rails, [&](const gate::RailFacts& facts) {
      return facts.link == peer.link && facts.ip == peer.local;
    });
    const auto* ours = order.own.rail(peer.link);
    if (rail == state.gate->rails.end() || ours == nullptr) continue;
    const auto found = rail->reach.find(peer.ip);
    if (found == rail->reach.end()) continue;
    order.own.reach.push_back(
        {.node = peer.node,
         .cage = ours->cage,
         .rail = ours->rail,
         .reach = found->second,
         .rdma_fails = rail->rdma_fails.contains(peer.ip) ? std::optional(true) : std::nullopt});
  }
}

void add_verdicts(const NodeState& state, protocol::NodeDetails& own) {
  const auto count = std::min(state.verdicts.size(), protocol::kMostVerdictsTold);
  for (const auto& [verdict, since] : state.verdicts | std::views::take(count)) {
    own.verdicts.push_back(
        {.verdict = std::string(gate::name_of(verdict)), .since = utc_text(since.wall)});
  }
}

/// A peer takes no longer document.
void keep_what_fits(protocol::NodeDetails& own) {
  auto& problems = own.problems;
  problems.resize(std::min(problems.size(), protocol::kMostProblems));
  constexpr std::size_t kOfSparkPeers = 2048;  ///< so much it adds at most
  while (!problems.empty() &&
         json_text(document_of(protocol::kDetailsSchema, own)).size() + kOfSparkPeers >
             protocol::kMostDetailsBytes) {
    problems.pop_back();
  }
}

}  // namespace

std::string peers_order_json(const NodeState& state) {
  auto order = state.peers_order;
  auto& own = order.own;
  own.version = state.version;
  own.file = state.file.digest;
  own.candidate = candidate_of(state);
  own.verdict = gate::name_of(state.verdict);
  if (state.released || state.node.empty()) {
    order.enabled = false;
  }
  if (state.gate && state.verdict != gate::Verdict::kReady) {
    own.reasons = {state.gate->why()};
    own.problems = gate::reasons_of(*state.gate);
  }
  add_versions(state, own);
  add_verdicts(state, own);
  for (auto& rail : own.rails) {
    look_for_fault(rail, state);
    const auto record = std::ranges::find(state.links, rail.link, &LinkRecord::name);
    if (record != state.links.end() && record->speed) rail.speed = *record->speed;
  }
  add_reach(state, order);
  keep_what_fits(own);
  return json_text(document_of(protocol::kPeersOrderSchema, order)) + "\n";
}

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
  static_cast<void>(files.remove(protocol::kRailsFile));
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
