#pragma once
// check_environment: variables for NCCL, UCX, Gloo and Open MPI that somebody set for all logins or
// all of NCCL: an index of a GID, and what contradicts the environment that is rendered.

#include "cli/doctor/finding.hpp"

namespace spark::cli {

/// Empty: nobody set any.
Findings check_environment(const Command& command);

}  // namespace spark::cli
