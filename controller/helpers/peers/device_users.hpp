#pragma once
// Who uses an RDMA device: beside a job nothing is measured unless somebody asks for that.

#include <functional>
#include <string>

#include "host/processes.hpp"
#include "host/rdma.hpp"

namespace spark::helpers {

/// Why no probe may use a device. Empty: nobody but probes of this program does.
struct DeviceJob {
  std::string why;   ///< "python3 (pid 4711) of alice uses rocep1s0f0", for this node alone
  std::string told;  ///< "a job uses rocep1s0f0": names stay on their node
};

/// The job_on() of this machine. It may be called on any thread.
using DeviceUsers = std::function<DeviceJob(const std::string& device)>;

/// Where the users cannot be read, both say that.
DeviceJob job_on(host::Rdma& rdma, host::Processes& processes, const std::string& device);

}  // namespace spark::helpers
