#pragma once
// run_peer: one of two ends that move bytes between two nodes by RDMA.

#include <cstdio>

#include "protocol/peer_probe.hpp"

namespace spark::helpers {

/// Prints the lines of this end to `lines_out` and reads the other's from `lines_in`. Returns its
/// report, which it has printed, when the other end does not use this memory any more. May block in
/// the kernel, as verbs do: the calling process must be one that can be killed.
protocol::PeerReport run_peer(const protocol::PeerRequest& request, int lines_in,
                              std::FILE* lines_out);

}  // namespace spark::helpers
