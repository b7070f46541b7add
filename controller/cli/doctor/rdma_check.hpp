#pragma once
// check_rdma: whether the rails of this machine have RDMA devices that jobs may open.

#include "cli/doctor/finding.hpp"

namespace spark::cli {

/// Whether bytes get to a peer is for the gate and for `bench`.
Findings check_rdma(const Command& command);

}  // namespace spark::cli
