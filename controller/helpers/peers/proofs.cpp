#include "helpers/peers/proofs.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "protocol/switch_turns.hpp"

namespace spark::helpers {
namespace {

using protocol::ExpectedPeer;
using protocol::RailDetails;
using protocol::RdmaHindrance;

/// True: it changed.
bool set_hindrance(protocol::RdmaProof& proof, const Missing& missing) {
  if (proof.hindrance == missing.kind && proof.why == missing.why) return false;
  proof.hindrance = missing.kind;
  proof.why = missing.why;
  return true;
}

const RailDetails* their_rail(const Told& told, const ExpectedPeer& peer) {
  const auto node = told.find(peer.node);
  return node == told.end() ? nullptr : node->second.details.rail_with(peer.ip);
}

/// Who speaks where the peer is expected: ", but of spark3:1". Empty: nobody, or it is a switch,
/// where others speak too.
std::string spoken_instead(const ExpectedPeer& peer, const Heard& heard) {
  const auto* other = peer.on_switch ? nullptr : heard.find_other(peer.link, peer.node);
  return other == nullptr ? std::string()
                          : fmt::format(", but of {}:{}", other->hello.node, other->hello.cage);
}

/// What keeps both ends from trying.
Missing missing_for(const protocol::PeersOrder& order, const ExpectedPeer& peer, const Heard& heard,
                    const Told& told) {
  const auto* own = order.own.rail(peer.link);
  if (own == nullptr) return {RdmaHindrance::kThisEnd, fmt::format("{} is not there", peer.link)};
  if (!own->fault.empty()) return {RdmaHindrance::kThisEnd, own->fault};
  if (const auto* refused = heard.refused(peer.link, peer.node)) {
    return {RdmaHindrance::kKey, key_text(peer.node, refused->fault)};
  }
  const auto* hello = heard.find(peer.link, peer.node, peer.rail);
  if (hello == nullptr) {
    return {RdmaHindrance::kNotHeard, fmt::format("no hello of {} was heard on {}{}", peer.node,
                                                  peer.link, spoken_instead(peer, heard))};
  }
  if (hello->is_silent) {
    return {RdmaHindrance::kNotHeard,
            fmt::format("no hello of {} comes on {} any more{}", peer.node, peer.link,
                        spoken_instead(peer, heard))};
  }
  const auto node = told.find(peer.node);
  if (node == told.end()) {
    return {RdmaHindrance::kNotHeard, fmt::format("{} was not asked yet", peer.node)};
  }
  const auto& details = node->second.details;
  if (details.node.empty()) return {RdmaHindrance::kNotHeard, node->second.failed};
  if (details.peers_version == 0) {
    return {RdmaHindrance::kOther,
            fmt::format("{} runs {}, which cannot", peer.node, details.version)};
  }
  const auto* theirs = their_rail(told, peer);
  if (theirs == nullptr) {
    return {RdmaHindrance::kPeerEnd,
            fmt::format("{} has no rail with {}", peer.node, peer.ip.text())};
  }
  if (!theirs->fault.empty()) {
    return {theirs->waits ? RdmaHindrance::kPeerWaits : RdmaHindrance::kPeerEnd,
            fmt::format("{}: {}", peer.node, theirs->fault)};
  }
  return {};
}

std::string state_of(const protocol::PeersOrder& order, const ExpectedPeer& peer,
                     const Told& told) {
  const auto* own = order.own.rail(peer.link);
  const auto* theirs = their_rail(told, peer);
  if (own == nullptr || theirs == nullptr) return {};
  return fmt::format("{} {} {} {} {} {} {}", order.own.boot_id, own->mtu, own->device,
                     told.at(peer.node).details.boot_id, theirs->mtu, theirs->device, theirs->mac);
}

/// A node that comes back behind a large switch is not tried by all of them at once.
std::size_t turn_in(const protocol::PeersOrder& order, const ExpectedPeer& peer) {
  if (!peer.on_switch) return 0;
  std::vector<IpAddress> all;
  for (const auto& other : order.peers) {
    if (other.link == peer.link && other.local == peer.local) all.push_back(other.ip);
  }
  return protocol::turn_of(peer.ip, peer.local, all);
}

}  // namespace

bool Proofs::update(const protocol::PeersOrder& order, const Heard& heard, const Told& told,
                    Time now, const std::string& key_failed) {
  std::vector<Entry> entries;
  bool changed = entries_.size() != order.peers.size();
  for (const auto& peer : order.peers) {
    auto* known = find(peer);
    auto entry = known == nullptr ? new_entry(peer) : std::move(*known);
    const auto missing_before = entry.missing;
    entry.asks = order.own.node < peer.node;
    entry.missing = key_failed.empty() ? missing_for(order, peer, heard, told)
                                       : Missing{RdmaHindrance::kKey, key_failed};
    auto state = state_of(order, peer, told);
    if (state != entry.state) {
      const auto node = told.find(peer.node);
      entry.peer_boot = node == told.end() ? "" : node->second.details.boot_id;
      // A proof of before this service began is one of this state, as far as can be known.
      const bool is_restored = entry.state.empty() && entry.tried_state.empty();
      if (is_restored && entry.proof.is_proven() && entry.peer_boot == entry.proof.boot_id) {
        entry.tried_state = state;
      }
      entry.state = std::move(state);
      const auto turn = turn_in(order, peer);
      entry.not_before = turn == 0
                             ? std::min(entry.not_before, Time(entry.proof.tried_ms) + kTryChanged)
                             : now + static_cast<int>(turn) * kTurn;
    }
    // A refusal was one of another state, where all is again as it was proven: nothing more is
    // tried.
    const bool is_settled =
        entry.proof.is_proven() && entry.state == entry.tried_state && !entry.under_way;
    if (entry.missing.kind != RdmaHindrance::kNone) {
      changed |= set_hindrance(entry.proof, entry.missing);
    } else if (missing_before.kind != RdmaHindrance::kNone || is_settled) {
      changed |= set_hindrance(entry.proof, {});
    }
    entries.push_back(std::move(entry));
  }
  entries_ = std::move(entries);
  return changed;
}

bool Proofs::is_due(const Entry& entry) {
  return entry.asks && !entry.under_way && entry.missing.kind == RdmaHindrance::kNone &&
         (!entry.proof.is_proven() || entry.state != entry.tried_state);
}

std::optional<ExpectedPeer> Proofs::due(
    Time now, const std::function<bool(const std::string& link)>& is_free) const {
  for (const auto& entry : entries_) {
    if (is_due(entry) && now >= entry.not_before && is_free(entry.peer.link)) return entry.peer;
  }
  return std::nullopt;
}

std::optional<Proofs::Time> Proofs::next_due() const {
  std::optional<Time> next;
  for (const auto& entry : entries_) {
    if (is_due(entry)) next = next ? std::min(*next, entry.not_before) : entry.not_before;
  }
  return next;
}

void Proofs::began(const ExpectedPeer& peer, Time now) {
  if (auto* entry = find(peer)) {
    entry->under_way = true;
    entry->begun_state = entry->state;
    entry->begun_boot = entry->peer_boot;
    entry->not_before = now + kTryAgain;
  }
}

void Proofs::tried(const ExpectedPeer& peer, Tried tried, Time now) {
  auto* entry = find(peer);
  if (entry == nullptr) return;
  // What changed while both tried was not tried. The end that is asked hears of it afterwards.
  const bool asked = std::exchange(entry->under_way, false);
  entry->tried_state = asked ? entry->begun_state : entry->state;
  if (tried.boot_id.empty()) tried.boot_id = asked ? entry->begun_boot : entry->peer_boot;
  entry->proof.boot_id = std::move(tried.boot_id);
  entry->proof.tried_ms = now.count();
  entry->proof.ours = std::move(tried.ours);
  entry->proof.theirs = std::move(tried.theirs);
  const bool is_first_failure = !entry->proof.is_proven() && !entry->has_failed;
  entry->has_failed = !entry->proof.is_proven();
  entry->not_before = now + (entry->state != entry->tried_state ? kTryChanged
                             : is_first_failure                 ? kTryFailed
                                                                : kTryAgain);
  static_cast<void>(set_hindrance(entry->proof, {}));
}

void Proofs::refused(const ExpectedPeer& peer, const Missing& missing, Time again) {
  auto* entry = find(peer);
  if (entry == nullptr) return;
  entry->under_way = false;
  entry->not_before = again;
  static_cast<void>(set_hindrance(entry->proof, missing));
}

std::vector<protocol::RdmaProof> Proofs::all() const {
  std::vector<protocol::RdmaProof> all;
  all.reserve(entries_.size());
  for (const auto& entry : entries_) all.push_back(entry.proof);
  return all;
}

Proofs::Entry Proofs::new_entry(const ExpectedPeer& peer) const {
  Entry entry{.peer = peer};
  const auto known = std::ranges::find_if(restored_, [&](const protocol::RdmaProof& proof) {
    return proof.is_of(peer.node, peer.link, peer.ip);
  });
  if (known != restored_.end()) entry.proof = *known;
  entry.proof.node = peer.node;
  entry.proof.link = peer.link;
  entry.proof.ip = peer.ip;
  return entry;
}

Proofs::Entry* Proofs::find(const ExpectedPeer& peer) {
  const auto found = std::ranges::find_if(entries_, [&](const Entry& entry) {
    return entry.proof.is_of(peer.node, peer.link, peer.ip);
  });
  return found == entries_.end() ? nullptr : &*found;
}

}  // namespace spark::helpers
