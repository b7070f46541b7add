#include "helpers/peers/device_users.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "host/running_process.hpp"

namespace spark::helpers {

std::string users_text(host::Rdma& rdma, host::Processes& processes, const std::string& device) {
  auto users = rdma.users(device);
  if (!users) return fmt::format("who uses {} cannot be read: {}", device, users.error().what);
  std::ranges::sort(*users);
  const auto doubles = std::ranges::unique(*users);
  users->erase(doubles.begin(), doubles.end());
  for (const auto pid : *users) {
    const auto process = processes.process(pid);
    if (!process || !*process) return fmt::format("a process (pid {}) uses {}", pid, device);
    if (!host::is_own_probe(**process)) {
      return fmt::format("{} uses {}", text_of(**process), device);
    }
  }
  return {};
}

}  // namespace spark::helpers
