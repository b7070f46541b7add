#pragma once
// Who uses an RDMA device: beside a job nothing is measured unless somebody asks for that.

#include <functional>
#include <string>

#include "host/processes.hpp"
#include "host/rdma.hpp"

namespace spark::helpers {

/// The job_on() of a device of this machine. It may be called on any thread.
using DeviceUsers = std::function<std::string(const std::string& device)>;

/// Why no probe may use the device: "a job uses rocep1s0f0"; "who uses rocep1s0f0 cannot be read:
/// …". Empty: nobody but probes of this program does. Without any name of a job: what the gate says
/// of it leaves this node.
std::string job_on(host::Rdma& rdma, host::Processes& processes, const std::string& device);

}  // namespace spark::helpers
