#pragma once
// Told: what this node and its peers told each other in this boot.

#include <string>
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

}  // namespace spark::cluster
