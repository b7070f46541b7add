#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/duration_text.hpp"
#include "base/moment.hpp"
#include "base/text.hpp"
#include "gate/checks/checks.hpp"
#include "gate/common/peers_report.hpp"
#include "protocol/peers.hpp"

namespace spark::gate {
namespace {

using protocol::NodeDetails;
using protocol::PeersReport;
using protocol::RdmaHindrance;
using protocol::RdmaProof;

/// Code points of a text that a peer chose.
constexpr std::size_t kLongestClause = 300;
constexpr std::size_t kLongestWord = 64;

/// A peer has a part in every word of it.
std::string clause(std::string_view text) { return printable(text, kLongestClause); }
std::string word(std::string_view text) { return printable(text, kLongestWord); }

/// What is known of one peer, for a fact about several.
struct OfPeer {
  Verdict verdict;
  std::string node;
  std::string text;
};

/// The fact of all peers of a rail; the worst of them decides. `detail`: of those that fail.
Fact fact_of(const FactKind& kind, const std::vector<OfPeer>& peers, Detail detail,
             std::string remedy, const GateSnapshot& snapshot) {
  const auto worst = std::ranges::max(peers, {}, &OfPeer::verdict).verdict;
  std::vector<std::string> texts;
  std::vector<std::string> nodes;
  for (const auto& peer : peers) {
    if (peer.verdict != worst) continue;
    texts.push_back(peer.text);
    nodes.push_back(peer.node);
  }
  auto text = named_peers(texts);
  if (worst == Verdict::kReady) return holds(kind, std::move(text));
  const bool is_failing = worst == Verdict::kNotReady;
  auto fact = fails(kind, worst, is_failing ? detail : Detail::kUnproven, std::move(text),
                    is_failing ? std::move(remedy) : std::string());
  fact.peers = std::move(nodes);
  fact.counts = is_failing && snapshot.node.ready.peers.value == config::ReadyPolicy::kRequire;
  return fact;
}

const NodeDetails* details_of(const PeersReport& report, const std::string& node) {
  const auto* told = protocol::told_by(report.told, node);
  return told == nullptr ? nullptr : &told->details;
}

/// What holds now: a node that is silent may be another since. Null: nothing is known.
const NodeDetails* news_of(const PeersReport& report, const std::string& node) {
  return protocol::is_heard(report.heard, node) ? details_of(report, node) : nullptr;
}

/// Why what that node says cannot be told from what others say; empty: no key is the reason.
std::string key_reason(const PeersReport& report, const std::string& node) {
  if (!report.key_failed.empty()) return clause(report.key_failed);
  // A host on one rail does not speak for the other rails.
  const bool is_heard = protocol::is_heard(report.heard, node);
  const auto refused = std::ranges::find(report.refused, node, &protocol::RefusedHello::node);
  return is_heard || refused == report.refused.end() ? "" : key_text(node, refused->fault);
}

std::string proven_text(const RdmaProof& proof) {
  return fmt::format(
      "{}: 1 MiB by WRITE, READ and SEND both ways, path MTU {}, 8 bytes in {:.1f} us", proof.node,
      proof.ours->path_mtu, proof.ours->latency_p50_us);
}

/// "WRITE: transport retry counter exceeded".
std::string why_failed(const protocol::PeerReport& report) {
  const auto step = word(report.failed.value_or(""));
  return report.why.empty() ? step : fmt::format("{}: {}", step, clause(report.why));
}

std::string failed_text(const RdmaProof& proof) {
  std::vector<std::string> ends;
  if (proof.ours && proof.ours->failed) ends.push_back("here " + why_failed(*proof.ours));
  if (proof.theirs && proof.theirs->failed) ends.push_back("there " + why_failed(*proof.theirs));
  // One end ended without a word: what the other saw says it.
  if (!proof.ours && ends.empty()) ends.emplace_back("here the probe ended without a report");
  if (!proof.theirs && ends.empty()) ends.emplace_back("there the probe ended without a report");
  return fmt::format("{}: {}", proof.node, fmt::join(ends, "; "));
}

/// Of a moment by CLOCK_BOOTTIME, which a service told.
std::chrono::milliseconds age_of(std::int64_t boot_ms) {
  const std::chrono::milliseconds age = now().boot - std::chrono::milliseconds(boot_ms);
  return std::max(age, decltype(age)::zero());
}

/// When it was proven, for what cannot be tried again: "last proven 3 h ago".
std::string last_proven(const RdmaProof& proof) {
  return fmt::format("last proven {} ago", duration_text(age_of(proof.tried_ms)));
}

/// For a day: a machine that takes the place of another is nothing that anybody has to fix.
std::string replaced_text(const PeersReport& report, const std::string& node) {
  const auto* told = protocol::told_by(report.told, node);
  if (told == nullptr || told->replaced_ms == 0) return {};
  const auto age = age_of(told->replaced_ms);
  if (age > std::chrono::days(1)) return {};
  return fmt::format("; another machine than before answers as {} for {}", node,
                     duration_text(age));
}

/// Empty: this end lacks something, and has facts of its own that say so.
std::optional<OfPeer> rdma_of(const RdmaProof& proof, const PeersReport& report) {
  if (proof.hindrance == RdmaHindrance::kThisEnd) return std::nullopt;
  const auto why = clause(proof.why);
  if (proof.hindrance == RdmaHindrance::kPeerEnd)
    return OfPeer{Verdict::kNotReady, proof.node, why};
  const auto* details = details_of(report, proof.node);
  // A peer that has started again is another peer.
  const bool is_of_this_boot =
      proof.tried_ms != 0 && (details == nullptr || details->boot_id == proof.boot_id);
  const bool is_reachable = proof.hindrance != RdmaHindrance::kNotHeard &&
                            proof.hindrance != RdmaHindrance::kPeerWaits &&
                            proof.hindrance != RdmaHindrance::kKey;
  if (is_of_this_boot && !proof.is_proven() && is_reachable) {
    return OfPeer{Verdict::kNotReady, proof.node, failed_text(proof)};
  }
  if (is_of_this_boot && proof.is_proven()) {
    if (why.empty()) return OfPeer{Verdict::kReady, proof.node, proven_text(proof)};
    return OfPeer{is_reachable ? Verdict::kReady : Verdict::kUnknown, proof.node,
                  fmt::format("{}; {}", why, last_proven(proof))};
  }
  return OfPeer{Verdict::kUnknown, proof.node,
                why.empty() ? fmt::format("{}: not tried yet", proof.node) : why};
}

/// An echo that does not pass now says more than RDMA that passed before it.
void note_rdma(RailFacts& rail, const IpAddress& peer) {
  auto& reach = rail.reach[peer];
  if (reach != protocol::Reach::kNone) reach = protocol::Reach::kRdma;
}

void add_rdma(const GateSnapshot& snapshot, const PeersReport& known, RailFacts& rail) {
  std::vector<OfPeer> peers;
  for (const auto& peer : snapshot.node.peers) {
    if (peer.external || peer.link != rail.link || peer.local != rail.ip) continue;
    const auto proof = std::ranges::find_if(
        known.rdma, [&](const RdmaProof& one) { return one.is_of(peer.node, peer.link, peer.ip); });
    if (proof == known.rdma.end()) continue;
    auto one = rdma_of(*proof, known);
    if (!one) continue;
    if (one->verdict == Verdict::kReady) note_rdma(rail, peer.ip);
    if (one->verdict == Verdict::kNotReady) rail.rdma_fails.insert(peer.ip);
    one->text += replaced_text(known, peer.node);
    if (one->verdict == Verdict::kNotReady &&
        std::ranges::find(rail.answered, peer.ip) != rail.answered.end()) {
      one->text = "the echo passes, RDMA does not: " + one->text;
    }
    peers.push_back(std::move(*one));
  }
  if (peers.empty()) return;
  rail.add(fact_of(kPeerRdmaFact, peers, Detail::kTryFailed,
                   "`spark-reconcile gate` there and here", snapshot));
}

void add_peer_mtu(const GateSnapshot& snapshot, const PeersReport& known, RailFacts& rail) {
  const auto* link = snapshot.view.link(rail.link);
  if (link == nullptr) return;
  const auto& wanted = snapshot.node.links.at(rail.link).mtu;
  const auto mtu = wanted ? wanted->value : link->mtu;
  std::vector<OfPeer> peers;
  for (const auto& peer : snapshot.node.peers) {
    if (peer.link != rail.link || peer.local != rail.ip) continue;
    const auto* details = news_of(known, peer.node);
    if (details == nullptr) continue;
    const auto* theirs = details->rail_with(peer.ip);
    if (theirs == nullptr || theirs->mtu == 0) continue;
    const auto text = fmt::format("{} has {} on {}", peer.node, theirs->mtu, word(theirs->link));
    if (theirs->mtu == mtu) {
      peers.push_back({Verdict::kReady, peer.node, text});
    } else {
      peers.push_back({Verdict::kNotReady, peer.node, fmt::format("{}, this end {}", text, mtu)});
    }
  }
  if (peers.empty()) return;
  auto fact =
      fact_of(kPeerMtuFact, peers, Detail::kDiffers,
              "the smaller one drops longer packets: `spark-reconcile apply` there", snapshot);
  // What both ends have is no good news where a packet of that length does not come through.
  const auto* echo = rail.find(kPeersFact.id);
  const bool is_small = echo != nullptr && echo->detail == Detail::kSmallPackets;
  if (fact.verdict != Verdict::kReady || !is_small) rail.add(std::move(fact));
}

/// A file that differs is told and never counts: while a change goes from node to node, it differs.
void add_same_file(const GateSnapshot& snapshot, const PeersReport& known, GateReport& report) {
  std::vector<std::string> names;
  std::vector<OfPeer> peers;
  for (const auto& peer : snapshot.node.peers) {
    if (peer.external || std::ranges::find(names, peer.node) != names.end()) continue;
    const auto* details = news_of(known, peer.node);
    auto no_key = key_reason(known, peer.node);
    if (no_key.empty() && (details == nullptr || details->file.empty())) continue;
    names.push_back(peer.node);
    if (!no_key.empty()) {
      peers.push_back({Verdict::kUnknown, peer.node, std::move(no_key)});
      if (!known.key_failed.empty()) break;  // it is the same of all
    } else if (details->file == snapshot.node.digest) {
      peers.push_back({Verdict::kReady, peer.node, peer.node});
    } else {
      peers.push_back(
          {Verdict::kNotReady, peer.node,
           fmt::format("{} has {:.12}{}", peer.node, word(details->file),
                       details->candidate == snapshot.node.digest ? " and tries this one" : "")});
    }
  }
  if (peers.empty()) return;
  auto fact =
      fact_of(kSameFileFact, peers, Detail::kDiffers, std::string(kRemedyOfOtherFile), snapshot);
  fact.measured = fmt::format(
      "{:.12} {}", snapshot.node.digest,
      fact.verdict == Verdict::kReady ? "here and on " + fact.measured : "here; " + fact.measured);
  fact.counts = fact.verdict == Verdict::kReady;
  report.node.push_back(std::move(fact));
}

}  // namespace

void check_between_nodes(const GateSnapshot& snapshot, GateReport& report) {
  if (snapshot.node.ready.peers.value == config::ReadyPolicy::kOff) return;
  const auto known = read_peers_report(snapshot.host);
  if (!known) {
    auto fact = fails(kPeerRdmaFact, Verdict::kUnknown, Detail::kUnread, clause(known.error().what),
                      "systemctl restart spark-reconcile-peers");
    fact.counts = false;
    report.node.push_back(std::move(fact));
    return;
  }
  if (!*known) return;
  for (auto& rail : report.rails) {
    add_rdma(snapshot, **known, rail);
    add_peer_mtu(snapshot, **known, rail);
  }
  add_same_file(snapshot, **known, report);
}

}  // namespace spark::gate
