#pragma once
// run_registration: memory is registered with an RDMA device, and let go again.

#include "protocol/registration.hpp"

namespace spark {

/// Blocks: verbs may, in the kernel; whoever calls this must be able to be killed.
RegistrationReport run_registration(const RegistrationRequest& request);

}  // namespace spark
