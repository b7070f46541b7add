#pragma once
// LinuxProcesses: the Processes port, from /sys/fs/cgroup and /proc/PID/limits.

#include "host/processes.hpp"

namespace spark::host {

class LinuxProcesses : public Processes {
 public:
  Result<std::vector<ProcessGroup>> groups() override;
};

}  // namespace spark::host
