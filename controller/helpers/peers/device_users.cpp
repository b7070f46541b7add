#include "helpers/peers/device_users.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "host/running_process.hpp"

namespace spark::helpers {

DeviceJob job_on(host::Rdma& rdma, host::Processes& processes, const std::string& device) {
  auto users = rdma.users(device);
  if (!users) {
    const auto why = fmt::format("who uses {} cannot be read: {}", device, users.error().what);
    return {.why = why, .told = why};
  }
  std::ranges::sort(*users);
  const auto doubles = std::ranges::unique(*users);
  users->erase(doubles.begin(), doubles.end());
  for (const auto pid : *users) {
    const auto process = processes.process(pid);
    const bool is_known = process && *process;
    if (is_known && host::is_own_probe(**process)) continue;
    const auto name = is_known ? text_of(**process) : fmt::format("a process (pid {})", pid);
    return {.why = fmt::format("{} uses {}", name, device),
            .told = fmt::format("a job uses {}", device)};
  }
  return {};
}

}  // namespace spark::helpers
