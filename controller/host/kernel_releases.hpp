#pragma once
// What is known of single releases of the kernel of a Spark: the one table of it.
// docs/explain/hardware.md shows it.

#include <algorithm>
#include <array>
#include <string_view>

namespace spark::host {

/// Of all others nothing is known: they are neither good nor bad, newer or older.
struct KernelRelease {
  std::string_view release;  ///< as `uname -r` begins
  std::string_view fault;    ///< a clause, without the subject; empty: it is known to be good
  std::string_view cure;     ///< a word of the kernel's command line; empty: there is none
  std::string_view source;   ///< where that stands
};

inline constexpr std::array kKernelReleases{
    KernelRelease{.release = "6.17.0-1008",
                  .fault = "panics on Sparks",
                  .cure = "",
                  .source = "https://forums.developer.nvidia.com/t/366026"},
    KernelRelease{
        .release = "6.17.0-1032",
        .fault = "",
        .cure = "",
        .source = "https://github.com/MiaAI-Lab/DeepSeek-v4.1-Flash-DGX-Sparks/issues/14"},
    KernelRelease{
        .release = "7.0.0-1019",
        .fault = "cannot register memory for RDMA once it gets short",
        .cure = "kho=off",
        .source = "https://forums.developer.nvidia.com/t/dgx-spark-update-advisory/383254"},
};

/// What there is to boot in place of a bad one.
inline constexpr std::string_view kGoodKernel =
    std::ranges::find(kKernelReleases, std::string_view(), &KernelRelease::fault)->release;

/// Of `uname -r`; null: nothing is known of it.
constexpr const KernelRelease* known_kernel(std::string_view release) {
  const auto* const found = std::ranges::find_if(kKernelReleases, [&](const KernelRelease& known) {
    if (!release.starts_with(known.release)) return false;
    const auto rest = release.substr(known.release.size());
    return rest.empty() || rest.front() == '-';
  });
  return found == kKernelReleases.end() ? nullptr : found;
}

}  // namespace spark::host
