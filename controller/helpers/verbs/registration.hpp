#pragma once
// run_registration: registers memory with an RDMA device, and deregisters it.

#include "protocol/registration.hpp"

namespace spark::helpers {

/// May block in the kernel, as verbs do: the calling process must be one that can be killed.
protocol::RegistrationReport run_registration(const protocol::RegistrationRequest& request);

}  // namespace spark::helpers
