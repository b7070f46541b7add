#pragma once
// KernelProcesses: the Processes port, from /sys/fs/cgroup and /proc/PID/limits.

#include "host/processes.hpp"

namespace spark {

class KernelProcesses : public Processes {
 public:
  Result<std::vector<ProcessGroup>> groups() override;
};

}  // namespace spark
