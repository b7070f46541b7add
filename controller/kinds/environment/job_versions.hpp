#pragma once
// Which versions of NCCL and UCX a job brings: those of its container, not those of this machine.

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace spark::kinds {

/// "2.28", "2.28.9", "2.30.7-1", "v1.18.1": what is after the third number says nothing.
struct LibraryVersion {
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  std::uint32_t patch = 0;  ///< 0 where it is not said
  auto operator<=>(const LibraryVersion&) const = default;

  /// Empty: no version. At least two numbers, each of at most four digits.
  static std::optional<LibraryVersion> parse(std::string_view text);
  [[nodiscard]] std::string text() const;
};

/// Empty: any; what is rendered is right for the widest range.
struct JobVersions {
  std::optional<LibraryVersion> nccl;
  std::optional<LibraryVersion> ucx;
};

/// The first that reads NCCL_IB_SUBNET_AWARE_ROUTING (NVIDIA/nccl 5c1c4288, tag v2.30.7-1).
inline constexpr LibraryVersion kNcclWithSubnets{2, 30, 7};
/// The first that looks for a way by itself, and no longer has UCX_IB_ROCE_LOCAL_SUBNET: 1.18.1 has
/// it, off by default (`ucx_info -c`), as 1.13.1.
inline constexpr LibraryVersion kUcxWithRoutes{1, 19, 0};

}  // namespace spark::kinds
