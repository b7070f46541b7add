#include "daemon/reconcile/observe_gate.hpp"

#include <algorithm>
#include <ranges>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gate/common/peers_report.hpp"
#include "host/view.hpp"
#include "protocol/peers.hpp"
#include "state/bench_results.hpp"
#include "state/select.hpp"

namespace spark::daemon {
namespace {

using protocol::PeersReport;

constexpr double kBitsOfByte = 8;

/// Whether the peer answered the echo; empty: others had their turn. Who could not be asked did
/// not.
void note_echo(const gate::GateReport& report, const IpAddress& local, const Moment& at,
               PeerRail& peer) {
  const auto has = [&peer](const std::vector<IpAddress>& ips) {
    return std::ranges::find(ips, peer.ip) != ips.end();
  };
  peer.echo = false;
  for (const auto& rail : report.rails) {
    if (rail.link != peer.link || rail.ip != local) continue;
    const bool nobody_asked = rail.answered.empty() && rail.unanswered.empty();
    peer.echo = has(rail.answered);
    if (*peer.echo || has(rail.unanswered)) {
      peer.asked = at;
    } else if (!nobody_asked) {
      peer.echo.reset();
    }
    return;
  }
}

/// The moment of a time since the boot, seen from `at`.
Moment at_boot_time(std::int64_t boot_ms, const Moment& at) {
  return later(at, std::chrono::milliseconds(boot_ms) - at.boot);
}

/// What is known of RDMA with the peer.
void note_rdma(const PeersReport& known, const Moment& at, PeerRail& rail) {
  const auto proof = std::ranges::find_if(known.rdma, [&](const protocol::RdmaProof& one) {
    return one.is_of(rail.peer, rail.link, rail.ip);
  });
  if (proof == known.rdma.end()) return;
  // A peer that has started again is another peer.
  const auto* told = protocol::told_by(known.told, rail.peer);
  const bool is_of_this_boot = told == nullptr || told->details.boot_id == proof->boot_id;
  rail.rdma = proof->is_proven() && is_of_this_boot;
  if (proof->tried_ms != 0) rail.tried = at_boot_time(proof->tried_ms, at);
}

HeardPeer heard_of(const std::string& peer, const PeersReport& known, const Moment& at) {
  const auto* last = protocol::last_hello(known.heard, peer);
  if (last == nullptr) return {.peer = peer};
  // spark-peers writes down who falls silent, and not each hello.
  if (!last->is_silent) return {.peer = peer, .at = at};
  return {.peer = peer, .at = at_boot_time(last->heard_ms, at)};
}

/// By the file, and by what is heard: nobody expects an answer of it.
bool is_away(const config::Cluster& cluster, const std::string& peer,
             const std::optional<PeersReport>& known) {
  const auto node = cluster.nodes.find(peer);
  if (node == cluster.nodes.end() || !node->second.away) return false;
  const auto* last = known ? protocol::last_hello(known->heard, peer) : nullptr;
  return last == nullptr || last->is_silent;
}

/// Beside a job a link is slower, and is none the worse for it.
bool counts(const state::BenchResult& result, const config::Node& node) {
  return result.node == node.name && result.jobs.empty();
}

/// Of the measurements that are like `last`, over the same drivers: an emulated device says nothing
/// about a card.
double best_of(const state::BenchFigure& figure, const state::BenchResult& last,
               const std::vector<state::BenchResult>& results, const config::Node& node) {
  double best = figure.bits_per_second;
  for (const auto& result : results) {
    const bool is_alike = std::ranges::equal(result.rails, last.rails, {},
                                             &state::BenchRail::driver, &state::BenchRail::driver);
    if (!counts(result, node) || result.peer != last.peer || !is_alike) continue;
    for (const auto& other : result.figures) {
      if (other.failed.empty() && other.links == figure.links &&
          other.operation == figure.operation && other.direction == figure.direction) {
        best = std::max(best, other.bits_per_second);
      }
    }
  }
  return best;
}

std::vector<BenchRate> bench_of(host::Host& host, const config::Cluster& cluster,
                                const config::Node& node) {
  std::vector<BenchRate> rates;
  const auto results = state::read_bench_results(host.files);
  if (!results) return rates;
  std::vector<std::string> seen;
  for (const auto& result : std::views::reverse(*results)) {
    if (!counts(result, node) || !cluster.nodes.contains(result.peer) ||
        std::ranges::find(seen, result.peer) != seen.end()) {
      continue;
    }
    seen.push_back(result.peer);
    for (const auto& figure : result.figures) {
      if (!figure.failed.empty()) continue;
      rates.push_back({.peer = result.peer,
                       .links = fmt::format("{}", fmt::join(figure.links, ",")),
                       .operation = figure.operation,
                       .direction = figure.direction,
                       .bytes_per_second = figure.bits_per_second / kBitsOfByte,
                       .best = best_of(figure, result, *results, node) / kBitsOfByte});
    }
  }
  return rates;
}

}  // namespace

ClusterState observe_cluster(host::Host& host, const config::Cluster& cluster,
                             const config::Node& node, const gate::GateReport& report,
                             const Moment& at) {
  ClusterState seen;
  seen.nodes = cluster.nodes.size();
  seen.bench = bench_of(host, cluster, node);
  if (node.ready.peers.value == config::ReadyPolicy::kOff) return seen;
  // What is not understood the gate tells.
  const auto known = gate::read_peers_report(host).value_or(std::nullopt);
  for (const auto& peer : node.peers) {
    const auto link = node.links.find(peer.link);
    if (peer.external || link == node.links.end() || !link->second.rail) continue;
    if (is_away(cluster, peer.node, known)) continue;
    auto& rail = seen.rails.emplace_back(PeerRail{.peer = peer.node,
                                                  .link = peer.link,
                                                  .cage = link->second.rail->cage,
                                                  .rail = link->second.rail->rail,
                                                  .ip = peer.ip});
    note_echo(report, peer.local, at, rail);
    if (known) note_rdma(*known, at, rail);
    if (known && std::ranges::find(seen.heard, peer.node, &HeardPeer::peer) == seen.heard.end()) {
      seen.heard.push_back(heard_of(peer.node, *known, at));
    }
  }
  return seen;
}

void keep_echoes(const ClusterState& before, ClusterState& now) {
  for (auto& rail : now.rails) {
    if (rail.asked.boot.count() != 0) continue;
    const auto last = std::ranges::find_if(before.rails, [&rail](const PeerRail& one) {
      return one.peer == rail.peer && one.link == rail.link && one.ip == rail.ip;
    });
    if (last == before.rails.end()) continue;
    if (!rail.echo) rail.echo = last->echo;
    rail.asked = last->asked;
  }
}

std::optional<GateObservation> observe_gate(host::Host& host, const config::Cluster& cluster,
                                            const std::string& node, gate::GateOptions::Depth depth,
                                            gate::CablingMemory& cabling, const Clock& clock) {
  host::View view(host);
  const auto selection = state::select(cluster, node, view);
  if (!selection) {
    return std::nullopt;  // the pass says so
  }
  cabling.begin(clock().boot);
  GateObservation look;
  look.report = gate::judge(host, view, selection->node, {.depth = depth, .cabling = &cabling});
  look.again_in = cabling.again_in();
  for (const auto& [name, wanted] : selection->node.links) {
    const auto* hardware = view.hardware_of(name);
    if (hardware != nullptr && hardware->speed) look.speeds.emplace(name, *hardware->speed);
  }
  if (const auto& hardware = view.hardware()) look.hardware = *hardware;
  look.at = clock();
  look.around = observe_cluster(host, cluster, selection->node, look.report, look.at);
  return look;
}

}  // namespace spark::daemon
