#pragma once
// run_loopback: one RDMA port writes to, reads from and sends to itself; the bytes are compared.

#include "protocol/loopback.hpp"

namespace spark::helpers {

/// Runs on two reliable connected queue pairs of one process. All memory together is 4 MiB. May
/// block in the kernel for seconds, as verbs do: the calling process must be one that can be
/// killed.
protocol::LoopbackReport run_loopback(const protocol::LoopbackRequest& request);

}  // namespace spark::helpers
