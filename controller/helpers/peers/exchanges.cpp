#include "helpers/peers/exchanges.hpp"

#include <algorithm>
#include <utility>

namespace spark::helpers {
namespace {

using protocol::ExpectedPeer;
using protocol::PeerBoard;
using protocol::Signed;

/// Of a document or of one board in it, beside what is said.
constexpr std::size_t kMostHead = 512;

}  // namespace

void Exchanges::set_board(std::optional<protocol::Board> board) {
  if (board == board_) return;
  board_ = std::move(board);
  ++version_;
  for (auto& [node, peer] : peers_) {
    peer.asked.not_before = {};
    peer.asked.next_way = 0;
  }
  keep_bounds();
}

void Exchanges::update(const std::vector<ExpectedPeer>& peers, const Heard& heard) {
  auto before = std::exchange(peers_, {});
  for (const auto& way : peers) {
    auto& peer = peers_[way.node];
    const auto* hello = heard.find(way.link, way.node, way.rail);
    const bool is_heard = hello != nullptr && !hello->is_silent;
    peer.ways.insert(is_heard ? peer.ways.begin() + peer.heard : peer.ways.end(), way);
    if (is_heard) ++peer.heard;
  }
  for (auto& [node, peer] : peers_) {
    const auto found = before.find(node);
    if (found == before.end()) continue;
    const auto& last = found->second;
    const bool comes = peer.heard > 0 && last.heard == 0;
    if (comes || !std::ranges::is_permutation(peer.ways, last.ways)) {
      // What is under way does not count any more.
      peer.asked = {.under_way = last.asked.under_way, .asks = last.asked.asks};
      continue;
    }
    peer.asked = last.asked;
    if (peer.ways != last.ways) peer.asked.next_way = 0;
  }
  keep_bounds();
}

void Exchanges::begin_again() {
  for (auto& [node, peer] : peers_) peer.asked = {};
  boards_.clear();
  ++changes_;
}

bool Exchanges::is_out_of_date(const Peer& peer) const {
  return board_ && !peer.asked.under_way && peer.asked.done != version_;
}

bool Exchanges::may_ask() const {
  const auto under_way =
      std::ranges::count_if(peers_, [](const auto& entry) { return entry.second.asked.under_way; });
  return static_cast<std::size_t>(under_way) < kMostAsked;
}

std::optional<ExpectedPeer> Exchanges::due(Time now) const {
  if (!may_ask()) return std::nullopt;
  const Peer* next = nullptr;
  for (const auto& [node, peer] : peers_) {
    if (!is_out_of_date(peer) || now < peer.asked.not_before) continue;
    if (next == nullptr || (peer.heard > 0 && next->heard == 0)) next = &peer;
  }
  return next == nullptr ? std::nullopt : std::optional(next->ways.at(next->asked.next_way));
}

std::optional<Exchanges::Time> Exchanges::next_due() const {
  std::optional<Time> next;
  // Where as many are asked as may be, an answer comes first.
  if (!may_ask()) return next;
  for (const auto& [node, peer] : peers_) {
    if (!is_out_of_date(peer)) continue;
    next = next ? std::min(*next, peer.asked.not_before) : peer.asked.not_before;
  }
  return next;
}

void Exchanges::began(const ExpectedPeer& peer) {
  auto& asked = peers_[peer.node].asked;
  asked.under_way = true;
  asked.begun = version_;
  asked.asks = board_ ? board_->asks : 0;
}

void Exchanges::answered(const ExpectedPeer& peer, std::vector<Signed> said) {
  const auto found = peers_.find(peer.node);
  if (found == peers_.end()) return;
  auto& asked = found->second.asked;
  asked.under_way = false;
  asked.done = asked.begun;
  asked.next_way = 0;
  if (board_) take(peer.node, std::move(said), asked.asks);
}

void Exchanges::failed(const ExpectedPeer& peer, Time now) {
  const auto found = peers_.find(peer.node);
  if (found == peers_.end()) return;
  auto& [ways, heard, asked] = found->second;
  asked.under_way = false;
  if (++asked.next_way < ways.size()) return;
  asked.next_way = 0;
  if (is_live()) {
    asked.not_before = now + kAgainLive;
  } else if (heard > 0) {
    asked.not_before = now + kAgainHeard;
  } else {
    asked.done = asked.begun;
  }
}

void Exchanges::was_asked(const std::string& node, std::vector<Signed> said) {
  if (board_ && peers_.contains(node)) take(node, std::move(said), std::nullopt);
}

void Exchanges::take(const std::string& node, std::vector<Signed> said,
                     std::optional<std::uint64_t> answered) {
  const bool is_first = boards_.try_emplace(node).second;
  keep_bounds();
  if (cut_to(said, share_)) cut_.insert(node);
  auto& board = boards_.at(node);
  PeerBoard taken{
      .node = node, .answered = answered.value_or(board.answered), .said = std::move(said)};
  if (!is_first && taken == board) return;
  board = std::move(taken);
  ++changes_;
}

void Exchanges::keep_bounds() {
  changes_ += std::erase_if(boards_, [&](const auto& entry) {
    return !board_ || (!is_live() && !peers_.contains(entry.first));
  });
  if (boards_.empty()) return;
  const auto others = std::ranges::count_if(
      peers_, [&](const auto& entry) { return !boards_.contains(entry.first); });
  const auto nodes = boards_.size() + static_cast<std::size_t>(others);
  const auto share = std::min(protocol::kMostBoardBytes,
                              (protocol::kMostBoardsBytes - kMostHead) / nodes - kMostHead);
  if (std::exchange(share_, share) <= share) return;
  for (auto& [node, board] : boards_) {
    if (!cut_to(board.said, share)) continue;
    cut_.insert(node);
    ++changes_;
  }
}

protocol::Boards Exchanges::all() const {
  protocol::Boards all;
  for (const auto& [node, board] : boards_) all.peers.push_back(board);
  return all;
}

}  // namespace spark::helpers
