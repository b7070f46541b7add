#pragma once
// Who uses an RDMA device: beside a job nothing is measured unless somebody asks for that.

#include <functional>
#include <string>

#include "host/processes.hpp"
#include "host/rdma.hpp"

namespace spark::helpers {

/// The users_text() of a device of this machine. It may be called on any thread.
using DeviceUsers = std::function<std::string(const std::string& device)>;

/// "python3 (pid 4711) of alice uses rocep1s0f0"; "who uses rocep1s0f0 cannot be read: …". Empty:
/// nobody but probes of this program.
std::string users_text(host::Rdma& rdma, host::Processes& processes, const std::string& device);

}  // namespace spark::helpers
