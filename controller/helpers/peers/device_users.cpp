#include "helpers/peers/device_users.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "host/running_process.hpp"

namespace spark::helpers {

std::string job_on(host::Rdma& rdma, host::Processes& processes, const std::string& device) {
  auto users = rdma.users(device);
  if (!users) return fmt::format("who uses {} cannot be read: {}", device, users.error().what);
  std::ranges::sort(*users);
  const auto doubles = std::ranges::unique(*users);
  users->erase(doubles.begin(), doubles.end());
  const bool is_used = std::ranges::any_of(*users, [&](std::uint32_t pid) {
    const auto process = processes.process(pid);
    return !process || !*process || !host::is_own_probe(**process);
  });
  return is_used ? fmt::format("a job uses {}", device) : "";
}

}  // namespace spark::helpers
