#pragma once
// run_loopback: one RDMA port writes to, reads from and sends to itself, and what came is compared.

#include "protocol/loopback.hpp"

namespace spark {

/// Runs on two reliable connected queue pairs of one process. All memory together is 4 MiB. Blocks:
/// verbs may, in the kernel, for seconds; whoever calls this must be able to be killed.
LoopbackReport run_loopback(const LoopbackRequest& request);

}  // namespace spark
