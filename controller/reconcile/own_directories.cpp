#include "reconcile/own_directories.hpp"

#include <array>

#include "base/paths.hpp"

namespace spark {

Result<> check_own_directories(Files& files) {
  for (const auto* directory : std::array{kStateDirectory, kRunDirectory, kApplyDirectory}) {
    if (auto safe = files.check_writers(directory); !safe) return safe;
  }
  return {};
}

}  // namespace spark
