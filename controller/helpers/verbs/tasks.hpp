#pragma once
// What spark-verbs-probe does, one task a process.

#include <cstdio>

#include "protocol/loopback.hpp"
#include "protocol/peer_probe.hpp"
#include "protocol/registration.hpp"

namespace spark::helpers {

/// One RDMA port writes to, reads from and sends to itself; the bytes are compared. Runs on two
/// reliable connected queue pairs of one process. All memory together is 4 MiB. May block in the
/// kernel for seconds, as verbs do: the calling process must be one that can be killed.
protocol::LoopbackReport run_loopback(const protocol::LoopbackRequest& request);

/// Registers memory with an RDMA device, and deregisters it. May block in the kernel, as verbs do:
/// the calling process must be one that can be killed.
protocol::RegistrationReport run_registration(const protocol::RegistrationRequest& request);

/// One of two ends that move bytes between two nodes by RDMA. Prints the lines of this end to
/// `lines_out` and reads the other's from `lines_in`. Returns its report, which it has printed,
/// when the other end does not use this memory any more. May block in the kernel, as verbs do: the
/// calling process must be one that can be killed.
protocol::PeerReport run_peer(const protocol::PeerRequest& request, int lines_in,
                              std::FILE* lines_out);

}  // namespace spark::helpers
