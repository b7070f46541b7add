#include "host/rail_counters.hpp"

namespace spark::host {

std::optional<std::uint64_t> grown(std::uint64_t before, std::uint64_t now) {
  constexpr std::uint64_t kLargest = UINT32_MAX;
  if (before == kLargest && now == kLargest) return std::nullopt;
  if (now >= before) return now - before;
  if (before > kLargest) return std::nullopt;
  // More than half of all numbers on the way says that it did not come that way.
  const auto around = kLargest + 1 - before + now;
  return around <= kLargest / 2 ? std::optional(around) : std::nullopt;
}

}  // namespace spark::host
