#pragma once
// Told: what this node and its peers told each other in this boot.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/peers.hpp"

namespace spark::cluster {

struct Told {
  protocol::NodeDetails own;
  std::vector<protocol::ToldDetails> peers;
  std::vector<protocol::ExpectedPeer> expected;  ///< over the rails of this node
  std::vector<protocol::HeardHello> heard;
  std::vector<protocol::RdmaProof> rdma;
  std::vector<protocol::RefusedHello> refused;
  bool is_enabled = true;  ///< `ready.peers` is not off, and the node is not released
  std::string failed;      ///< why nobody can be heard; empty: they can
};

/// What the daemon told spark-peers, and what that wrote in the same boot of the peers that it was
/// told of.
Told told_of(protocol::PeersOrder order, protocol::PeersReport report);

/// What is known of a node, and by whom. It points into what was told.
struct LastWord {
  bool is_silent = false;
  std::string_view verdict;    ///< of a silent node: before it went silent
  std::string_view file;       ///< the beginning of its digest
  std::string_view candidate;  ///< of a file that waits there, or is on trial
  /// Its own last; of who is known through a neighbour the last of that one, which says that it
  /// still holds.
  const protocol::HeardHello* hello = nullptr;
  const protocol::NodeDetails* by = nullptr;  ///< that neighbour; null: its own hello
};

/// Its own hello, while those come; else what a neighbour passes on that hears it; else that it is
/// silent, by its own hello before what a neighbour says. What a silent neighbour told is no news.
/// Empty: nobody speaks of it.
std::optional<LastWord> last_word_of(std::string_view node, const Told& told);

/// The beginning of the digest of a newer file that waits on that node, or of the one in force
/// while nobody knows yet whether it is good there. Empty: neither, or not known.
std::string candidate_of(std::string_view node, const Told& told);

}  // namespace spark::cluster
