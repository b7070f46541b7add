#include "helpers/peers/device_users.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "host/linux/linux_processes.hpp"
#include "host/linux/rdma/linux_rdma.hpp"
#include "host/process/helper_program.hpp"
#include "host/running_process.hpp"

namespace spark::helpers {

std::string users_text(const std::string& device) {
  auto users = host::LinuxRdma().users(device);
  if (!users) return fmt::format("who uses {} cannot be read: {}", device, users.error().what);
  std::ranges::sort(*users);
  const auto doubles = std::ranges::unique(*users);
  users->erase(doubles.begin(), doubles.end());
  host::LinuxProcesses processes;
  for (const auto pid : *users) {
    const auto process = processes.process(pid);
    if (!process || !*process) {
      return fmt::format("a process (pid {}) uses {}", pid, device);
    }
    if (!host::is_own_probe(**process)) {
      return fmt::format("{} uses {}", text_of(**process), device);
    }
  }
  return {};
}

}  // namespace spark::helpers
