#pragma once
// LinuxProcesses: the Processes port, from /sys/fs/cgroup and /proc/PID.

#include "host/processes.hpp"

namespace spark::host {

class LinuxProcesses : public Processes {
 public:
  Result<std::vector<ProcessGroup>> groups() override;
  Result<std::optional<RunningProcess>> process(std::uint32_t pid) override;
  std::optional<ProcessPlace> place(std::uint32_t pid) override;
};

}  // namespace spark::host
