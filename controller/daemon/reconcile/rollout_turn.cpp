#include "daemon/reconcile/rollout_turn.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"

namespace spark::daemon {
namespace {

using gate::Verdict;
using protocol::PeersReport;

/// Of a node's files the last are kept.
constexpr std::size_t kMostFiles = 8;
/// How long the ends of a cable may have different files without a word of the gate.
constexpr std::chrono::minutes kLateEnd{10};
/// So long before its hello says that a node has another file, what it sets up may be felt already.
constexpr std::chrono::minutes kHelloLag{1};
/// So long after its hello says that it has the same file, what it told before may still count: the
/// details of a node are asked for again within ten seconds.
constexpr std::chrono::seconds kDetailsLag{30};

/// That of whichever address of the link.
state::FactKey key_of(const gate::Fact& fact, const gate::RailFacts& rail) {
  return {.id = fact.id, .link = rail.link};
}

}  // namespace

void RolloutTurn::take(Known& known, cluster::LatestReport report) {
  auto& now = known.now;
  // Silence says nothing of a file, and what was said before counts as long as it lasts.
  now.is_silent = report.is_silent;
  if (report.is_silent) return;
  // A word that is not known is the worst.
  if (!report.verdict) report.verdict = Verdict::kNotReady;
  if (!now.file.empty() && now.file != report.file) known.before = now.verdict;
  now = std::move(report);
  for (const auto& file : {now.file, now.candidate}) {
    if (file.empty()) continue;
    std::erase(known.had, file);
    known.had.push_back(file);
    if (known.had.size() > kMostFiles) known.had.erase(known.had.begin());
  }
}

void RolloutTurn::note(std::optional<PeersReport> report, const std::set<std::string>& nodes) {
  std::erase_if(nodes_, [&](const auto& entry) { return !nodes.contains(entry.first); });
  cluster::Told told;
  if (report) {
    told.heard = std::move(report->heard);
    told.peers = std::move(report->told);
  }
  for (const auto& node : nodes) {
    if (auto latest = cluster::latest_report(node, told); latest.is_heard || latest.is_silent) {
      take(nodes_[node], std::move(latest));
    } else if (const auto known = nodes_.find(node); known != nodes_.end()) {
      known->second.now.is_silent = true;
    }
  }
}

std::optional<std::string> RolloutTurn::why_not(const std::string& node,
                                                const std::string& digest) const {
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) return "is not heard";
  const auto& known = found->second;
  const auto& now = known.now;
  const auto wanted = protocol::short_digest(digest);
  if (now.is_silent) return "is silent";
  if (now.file == wanted && now.candidate == wanted) return "tries it";
  if (now.file == wanted) {
    const auto verdict = now.verdict.value_or(Verdict::kNotReady);
    const bool is_no_worse = verdict <= known.before.value_or(Verdict::kReady);
    return is_no_worse ? std::nullopt
                       : std::optional(fmt::format("has it, and is {}", name_of(verdict)));
  }
  const auto file = printable(now.file.empty() ? "no file" : now.file.substr(0, 12));
  if (now.candidate == wanted) return fmt::format("has {}, and takes it later", file);
  return std::ranges::find(known.had, wanted) != known.had.end()
             ? fmt::format("tried it, and went back to {}", file)
             : fmt::format("still has {}", file);
}

std::vector<RolloutWait> RolloutTurn::waits_for(
    const std::vector<std::string>& before, const std::string& digest,
    const std::vector<state::RolloutSkip>& skips) const {
  std::vector<RolloutWait> waits;
  for (const auto& node : before) {
    if (std::ranges::find(skips, node, &state::RolloutSkip::node) != skips.end()) continue;
    if (auto why = why_not(node, digest)) waits.push_back({.node = node, .why = *std::move(why)});
  }
  return waits;
}

std::optional<RolloutHeld> RolloutTurn::hold(std::vector<std::string> before,
                                             const std::string& digest,
                                             const std::vector<state::RolloutSkip>& skips,
                                             const Moment& now) {
  auto waits = waits_for(before, digest, skips);
  if (waits.empty()) return std::nullopt;
  const auto since = held_ && held_->digest == digest ? held_->since : now;
  held_ = RolloutHeld{.digest = digest, .since = since, .waits = std::move(waits)};
  for (const auto& skip : skips) {
    held_->skipped.push_back(fmt::format("{}: {}", skip.node, skip.why));
  }
  before_ = std::move(before);
  return held_;
}

void RolloutTurn::note_files(const config::Node& node, const Moment& now) {
  const auto own = protocol::short_digest(node.digest);
  for (auto& [name, known] : nodes_) {
    if (known.now.is_silent) continue;
    const bool has_our_file = known.now.file == own;
    if (has_our_file && !known.had_our_file) known.same_since = now.boot;
    if (has_our_file && now.boot - known.same_since > kDetailsLag) known.differs_since.reset();
    if (known.had_our_file && !has_our_file) known.differs_since = now.boot;
    known.had_our_file = has_our_file;
  }
}

const config::Peer* RolloutTurn::excuse_of(const gate::Fact& fact, const gate::RailFacts& rail,
                                           const config::Node& node, const Moment& now) const {
  const auto since = failing_since_.find(key_of(fact, rail));
  if (since == failing_since_.end()) return nullptr;
  const config::Peer* excuse = nullptr;
  for (const auto& peer : node.peers) {
    if (peer.link != rail.link || peer.local != rail.ip) continue;
    const auto known = nodes_.find(peer.node);
    const auto differs = known == nodes_.end() || known->second.now.is_silent
                             ? std::nullopt
                             : known->second.differs_since;
    const bool may_be_why =
        differs && now.boot - *differs <= kLateEnd && since->second >= *differs - kHelloLag;
    if (may_be_why) {
      excuse = &peer;
    } else if (std::ranges::find(fact.peers, peer.node) != fact.peers.end()) {
      return nullptr;
    }
  }
  return excuse;
}

void RolloutTurn::excuse_other_ends(gate::GateReport& report, const config::Node& node, bool rolls,
                                    const Moment& now) {
  note_files(node, now);
  std::map<state::FactKey, std::chrono::milliseconds> failing;
  for (const auto& rail : report.rails) {
    for (const auto& fact : rail.facts) {
      if (fact.reach != gate::Reach::kOtherEnd || fact.verdict == Verdict::kReady) continue;
      const auto since = failing_since_.find(key_of(fact, rail));
      failing[key_of(fact, rail)] = since == failing_since_.end() ? now.boot : since->second;
    }
  }
  failing_since_ = std::move(failing);
  if (!rolls) return;
  for (auto& rail : report.rails) {
    for (auto& fact : rail.facts) {
      const auto* peer = excuse_of(fact, rail, node, now);
      if (peer == nullptr) continue;
      fact.counts = false;
      const bool has_our_file = nodes_.at(peer->node).had_our_file;
      fact.measured += fmt::format("; {} {}", peer->node,
                                   has_our_file ? "has had the file of this node for a moment"
                                                : "has another file than this node");
    }
  }
}

}  // namespace spark::daemon
