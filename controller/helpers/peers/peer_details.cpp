#include "helpers/peers/peer_details.hpp"

#include <algorithm>
#include <utility>

namespace spark::helpers {

using protocol::ExpectedPeer;

void PeerDetails::restore(const std::vector<protocol::ToldDetails>& told) {
  for (const auto& one : told) {
    if (!one.details.node.empty()) told_.emplace(one.details.node, one);
  }
}

void PeerDetails::keep(const std::vector<ExpectedPeer>& peers) {
  const auto is_gone = [&](const auto& entry) {
    return std::ranges::find(peers, entry.first, &ExpectedPeer::node) == peers.end();
  };
  std::erase_if(told_, is_gone);
  std::erase_if(asked_, is_gone);
}

const PeerDetails::Asked& PeerDetails::asked(const std::string& node) const {
  static const Asked never;
  const auto found = asked_.find(node);
  return found == asked_.end() ? never : found->second;
}

bool PeerDetails::is_out_of_date(const ExpectedPeer& peer, const PeersKnown& known) const {
  const auto& last = asked(peer.node);
  if (last.under_way || last.in_vain.contains(peer.link)) return false;
  if (known.boots.is_waiting(peer.link, peer.node)) return true;
  const auto* hello = known.heard.find(peer.link, peer.node, peer.rail);
  return hello != nullptr && !hello->is_silent && hello->hello.details != last.digest;
}

bool PeerDetails::may_ask() const {
  const auto under_way =
      std::ranges::count_if(asked_, [](const auto& entry) { return entry.second.under_way; });
  return static_cast<std::size_t>(under_way) < kMostAsked;
}

std::optional<ExpectedPeer> PeerDetails::due(const PeersKnown& known, Time now) const {
  if (!may_ask()) return std::nullopt;
  const auto next = std::ranges::find_if(known.peers, [&](const ExpectedPeer& peer) {
    return is_out_of_date(peer, known) && now >= asked(peer.node).not_before;
  });
  return next == known.peers.end() ? std::nullopt : std::optional(*next);
}

std::optional<PeerDetails::Time> PeerDetails::next_due(const PeersKnown& known) const {
  std::optional<Time> next;
  // Where as many are asked as may be, an answer comes first.
  if (!may_ask()) return next;
  for (const auto& peer : known.peers) {
    if (!is_out_of_date(peer, known)) continue;
    const auto at = asked(peer.node).not_before;
    next = next ? std::min(*next, at) : at;
  }
  return next;
}

void PeerDetails::began(const ExpectedPeer& peer, Time now) {
  auto& last = asked_[peer.node];
  last.under_way = true;
  last.not_before = now + kAskAgain;
}

void PeerDetails::answered(const ExpectedPeer& peer, protocol::NodeDetails details,
                           const std::string& digest, Time now) {
  auto& told = told_[peer.node];
  const auto& before = told.details.machine;
  if (!before.empty() && !details.machine.empty() && details.machine != before) {
    told.replaced_ms = now.count();
  }
  told.failed.clear();
  told.details = std::move(details);
  told.told_ms = now.count();
  asked_[peer.node] = {.not_before = now + kAskRest, .under_way = false, .digest = digest};
}

void PeerDetails::failed(const ExpectedPeer& peer, const std::string& why, const PeersKnown& known,
                         Time now) {
  told_[peer.node].failed = why;
  auto& last = asked_[peer.node];
  last.under_way = false;
  last.in_vain.insert(peer.link);
  const bool is_left = std::ranges::any_of(known.peers, [&](const ExpectedPeer& other) {
    return other.node == peer.node && is_out_of_date(other, known);
  });
  if (is_left) {
    last.not_before = now + kAskRest;
  } else {
    last.in_vain.clear();
  }
}

}  // namespace spark::helpers
