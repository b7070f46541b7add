#pragma once
// The names that many tests share.

namespace spark::test {

/// The first rail of a DGX Spark: cage 0, as the kernel names it.
inline constexpr const char* kRail = "enp1s0f0np0";

}  // namespace spark::test
