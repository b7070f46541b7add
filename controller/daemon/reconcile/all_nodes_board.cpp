#include "daemon/reconcile/all_nodes_board.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/json_document.hpp"
#include "base/sha256.hpp"
#include "protocol/paths.hpp"
#include "protocol/peers.hpp"

namespace spark::daemon {
namespace {

constexpr unsigned kBoardMode = 0644;
/// For what all nodes say of an offer, beside it.
constexpr std::size_t kMostWords = std::size_t{128} * 1024;
/// The rest is what a board has around it.
constexpr std::size_t kMostSaid = protocol::kMostBoardBytes - 1024;
/// Signatures that are verified of what was handed over once, some 100 us each; an honest peer
/// brings three a node. Of one peer so few that another one, on another cable, is still heard.
constexpr std::size_t kMostVerified = 2048;
constexpr std::size_t kMostVerifiedOfPeer = 128;

/// With the number that makes it newer than what was said before.
all_nodes::Statement numbered(all_nodes::Statement statement, std::uint64_t number) {
  std::visit(
      [&](auto& said) {
        if constexpr (requires { said.number; }) said.number = number;
      },
      statement);
  return statement;
}

}  // namespace

Result<> AllNodesBoard::read(const std::string& own_node) {
  auto keys = read_keys(own_node);
  if (!keys_.empty()) read_boards();
  return keys;
}

Result<> AllNodesBoard::read_keys(const std::string& own_node) {
  auto keys = all_nodes::read_trusted(files_);
  if (!keys) return std::unexpected(keys.error());
  are_keys_read_ = true;
  keys->erase(own_node);  // who places the same file on all nodes has it there
  // Each time: a person may have given this node another one.
  auto loaded = keys->empty() ? std::unexpected(Error{}) : signing::NodeKey::load_or_make(files_);
  const bool is_another = loaded && (!key_ || loaded->public_half() != key_->public_half());
  if (*keys != keys_ || is_another) {
    keys_ = std::move(*keys);
    heard_.clear();
    boards_digest_.clear();
    answered_.clear();
    key_.reset();
    if (loaded) key_ = std::move(*loaded);
    said_.clear();
    words_.clear();
  }
  // A key that is forgotten is forgotten, also where this node has none to sign with.
  return loaded || keys_.empty() ? Result<>{} : std::unexpected(loaded.error());
}

void AllNodesBoard::read_boards() {
  const auto text =
      files_.read_helpers(protocol::kBoardsFile, protocol::kPeersUser, protocol::kMostBoardsBytes)
          .value_or(std::nullopt)
          .value_or("");
  const auto digest = sha256_of(text);
  if (digest == boards_digest_) return;
  boards_digest_ = digest;
  answered_.clear();
  const auto boards = document_from_text<protocol::Boards>(protocol::kBoardsSchema, text)
                          .value_or(protocol::Boards{});
  std::size_t verified = 0;
  for (const auto& peer : boards.peers) {
    answered_[peer.node] = peer.answered;
    const auto most = std::min(verified + kMostVerifiedOfPeer, kMostVerified);
    for (const auto& said : peer.said) {
      if (verified == most) break;
      if (heard_.take(said, keys_)) ++verified;
    }
  }
}

bool AllNodesBoard::has_answered(const std::string& node) const {
  const auto found = answered_.find(node);
  return found != answered_.end() && found->second == asks_;
}

bool AllNodesBoard::has_room_for(const all_nodes::Offer& offer) const {
  if (!key_) return true;
  // As spark-peers shares out what it hands over, where each node is a peer of each.
  const auto share =
      std::min(protocol::kMostBoardBytes, protocol::kMostBoardsBytes / offer.nonces.size());
  const auto most = share - std::min(kMostWords, share / 2);
  return bytes_of(signed_statement(offer.origin, offer, *key_)) <= most;
}

void AllNodesBoard::say(Statements words, const std::string& node, std::uint64_t number) {
  said_.clear();
  for (const auto& word : words) {
    if (!key_) break;
    const auto* const presence = std::get_if<all_nodes::Presence>(&word);
    said_.push_back(signed_statement(presence == nullptr ? node : presence->node,
                                     numbered(word, number), *key_));
  }
  words_ = std::move(words);
}

Result<> AllNodesBoard::put(bool is_live, const std::set<std::string>& under_way) {
  protocol::Board board;
  if (!said_.empty() && !keys_.empty()) {
    board = {.is_live = is_live, .asks = asks_, .said = said_};
    for (auto& said : heard_.said(under_way)) {
      board.said.push_back(std::move(said));
    }
  }
  if (board == put_) return {};
  auto whole = board;
  protocol::cut_to(whole.said, kMostSaid);
  const auto text = json_text(document_of(protocol::kBoardSchema, whole)) + "\n";
  auto put = board.said.empty() ? files_.remove(protocol::kBoardFile)
                                : files_.write(protocol::kBoardFile, text, kBoardMode);
  if (put) put_ = std::move(board);
  return put;
}

}  // namespace spark::daemon
