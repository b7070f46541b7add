#include "config/path_mtu.hpp"

#include <algorithm>
#include <array>

namespace spark::config {

std::uint32_t path_mtu_of(std::uint32_t mtu_bytes) {
  // GRH 40, UDP 8, BTH 12, XRC 4, atomic 28, ICRC 4.
  constexpr std::uint32_t kHeaders = 96;
  const auto payload = mtu_bytes > kHeaders ? mtu_bytes - kHeaders : 0;
  constexpr std::array<std::uint32_t, 5> kSteps{kLargestPathMtu, 2048, 1024, 512, 256};
  const auto step = std::ranges::find_if(kSteps, [&](auto bytes) { return bytes <= payload; });
  return step == kSteps.end() ? 0 : *step;
}

}  // namespace spark::config
