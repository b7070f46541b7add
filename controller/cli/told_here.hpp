#pragma once
// told_here: what this node and its peers told each other in this boot.

#include <optional>
#include <vector>

#include "host/host.hpp"
#include "protocol/peers.hpp"

namespace spark::cli {

struct ToldHere {
  protocol::NodeDetails own;
  std::vector<protocol::ToldDetails> peers;
  std::vector<protocol::ExpectedPeer> expected;  ///< over the rails of this node
  std::vector<protocol::HeardHello> heard;
  std::vector<protocol::RdmaProof> rdma;
};

/// As the daemon and spark-peers wrote it down; nobody is asked. Empty: they have not, or it is of
/// an earlier boot, which says nothing of now.
std::optional<ToldHere> told_here(host::Host& host);

}  // namespace spark::cli
