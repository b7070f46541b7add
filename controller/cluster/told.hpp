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

/// What the daemon told spark-peers, and what that wrote in the same boot.
Told told_of(protocol::PeersOrder order, protocol::PeersReport report);

/// What a neighbour passes on of a node, and the neighbour.
struct Relayed {
  const protocol::PassedOn* passed;
  const protocol::NodeDetails* by;
  const protocol::HeardHello* hello;  ///< the neighbour's last, which says that it still holds
};

/// Of neighbours that are heard, one that hears the node; else the first that tells that it is
/// silent. What a silent neighbour told is no news. Empty: none of them speaks of it. It points
/// into `told`.
std::optional<Relayed> relayed_of(std::string_view node, const Told& told);

/// The beginning of the digest of a newer file that waits on that node, or of the one in force
/// while nobody knows yet whether it is good there; by its last hello, else by a neighbour. Empty:
/// neither, or not known.
std::string candidate_of(std::string_view node, const Told& told);

}  // namespace spark::cluster
