#pragma once
// run_registration: registers memory with an RDMA device, and deregisters it.

#include "protocol/registration.hpp"

namespace spark {

/// May block in the kernel, as verbs do: the calling process must be one that can be killed.
RegistrationReport run_registration(const RegistrationRequest& request);

}  // namespace spark
