#pragma once
// AllNodesBoard: what this node and others say of offers, as documents: keys, the boards that
// spark-peers hands over, and this node's own, which it signs.

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "all_nodes/heard.hpp"
#include "all_nodes/statement.hpp"
#include "base/result.hpp"
#include "host/files.hpp"
#include "protocol/board.hpp"
#include "signing/node_key.hpp"

namespace spark::daemon {

class AllNodesBoard {
 public:
  using Statements = std::vector<all_nodes::Statement>;

  /// `files` must outlive it.
  explicit AllNodesBoard(host::Files& files) : files_(files) {}

  /// Takes in the keys and what peers have on their boards. Where no key is known, neither theirs
  /// nor the secret half is read. Boards that cannot be read are none: spark-peers, taken over,
  /// makes no pass of the daemon fail. Errors: of the keys, kInvalid, and those of the files port;
  /// what was known before still is.
  Result<> read(const std::string& own_node);

  [[nodiscard]] const all_nodes::TrustedKeys& keys() const { return keys_; }
  /// False: what keys are known here could not be read since the start.
  [[nodiscard]] bool are_keys_read() const { return are_keys_read_; }
  [[nodiscard]] const all_nodes::Heard& heard() const { return heard_; }
  /// What this node has kept of another's words, as if it came from a peer.
  void hear(const protocol::Signed& said) { heard_.take(said, keys_); }
  /// As Heard::keep_offers.
  void forget_all_but(const std::set<std::string>& offers) { heard_.keep_offers(offers); }

  /// All peers are asked for their boards now, once this one is put. `first`: more than any number
  /// that a process of before asked with.
  void ask(std::uint64_t first) { asks_ = std::max(asks_ + 1, first); }
  [[nodiscard]] bool is_peer(const std::string& node) const { return answered_.contains(node); }
  /// Its board was exchanged since peers were asked last.
  [[nodiscard]] bool has_answered(const std::string& node) const;

  /// It can be said to all of its nodes, with what they say of it.
  [[nodiscard]] bool has_room_for(const all_nodes::Offer& offer) const;
  /// These are what this node says, numbers aside.
  [[nodiscard]] bool says(const Statements& words) const { return words == words_; }
  void say(Statements words, const std::string& node, std::uint64_t number);
  /// Writes the board where it is another one, or removes it where nothing is said. `under_way`: of
  /// whose offers the texts are passed on. Errors: those of the files port.
  Result<> put(bool is_live, const std::set<std::string>& under_way);

 private:
  Result<> read_keys(const std::string& own_node);
  void read_boards();

  host::Files& files_;
  all_nodes::TrustedKeys keys_;
  bool are_keys_read_ = false;
  std::optional<signing::NodeKey> key_;  ///< only where another node's is known
  all_nodes::Heard heard_;
  std::string boards_digest_;                      ///< of the document that was read last
  std::map<std::string, std::uint64_t> answered_;  ///< by peer
  Statements words_;
  std::vector<protocol::Signed> said_;  ///< the same, signed
  std::uint64_t asks_ = 0;
  std::optional<protocol::Board> put_;  ///< before it was bounded; nothing said: it was removed
};

}  // namespace spark::daemon
