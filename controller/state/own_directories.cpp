#include "state/own_directories.hpp"

#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "protocol/paths.hpp"

namespace spark::state {

Result<> check_own_directories(host::Files& files) {
  for (const auto* directory :
       std::array{protocol::kStateDirectory, protocol::kRunDirectory, protocol::kApplyDirectory}) {
    if (auto safe = files.check_writers(directory); !safe) return safe;
  }
  return {};
}

void discard_leftovers(host::Files& files) {
  for (const auto* directory :
       {protocol::kStateDirectory, protocol::kRunDirectory, protocol::kApplyDirectory}) {
    static_cast<void>(files.discard_unfinished(directory));
  }
  for (const auto& name :
       files.list(protocol::kStateDirectory).value_or(std::vector<std::string>{})) {
    const auto directory = fmt::format("{}/{}", protocol::kStateDirectory, name);
    if (name.starts_with('.') || !files.list(directory)) {
      continue;  // no node
    }
    for (const auto* below : {"", "/files"}) {
      static_cast<void>(files.discard_unfinished(directory + below));
    }
  }
}

}  // namespace spark::state
