#include "host/kernel_releases.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace spark::host {
namespace {

std::vector<KernelRelease> releases_of_this_program() {
  return {
      {.release = "6.17.0-1008",
       .fault = "panics on Sparks",
       .source = "https://forums.developer.nvidia.com/t/366026",
       .date = "2026-03"},
      {.release = "6.17.0-1032",
       .fault = "",
       .source = "https://github.com/MiaAI-Lab/DeepSeek-v4.1-Flash-DGX-Sparks/issues/14",
       .date = "2026-09-12"},
      {.release = "7.0.0-1019",
       .fault = "cannot register memory for RDMA once it gets short",
       .cure = "kho=off",
       .source = "https://forums.developer.nvidia.com/t/dgx-spark-update-advisory/383254",
       .date = "2026-09"},
  };
}

/// "6.17.0-1032" is of "6.17.0-1032-nvidia", and not of "6.17.0-10320".
bool is_of(std::string_view known, std::string_view release) {
  return release.starts_with(known) &&
         (release.size() == known.size() || release[known.size()] == '-');
}

}  // namespace

KernelReleases::KernelReleases(std::vector<KernelRelease> over) : all_(std::move(over)) {
  std::ranges::move(releases_of_this_program(), std::back_inserter(all_));
}

const KernelRelease* KernelReleases::known(std::string_view release) const {
  // "7.0.0-1019" says more than "7.0.0", and of two that are the same the owner's comes first.
  const KernelRelease* closest = nullptr;
  for (const auto& each : all_) {
    const bool is_closer = closest == nullptr || each.release.size() > closest->release.size();
    if (is_of(each.release, release) && is_closer) closest = &each;
  }
  return closest;
}

std::string KernelReleases::boot_a_good_one() const {
  const auto good = std::ranges::find_if(all_, [&](const KernelRelease& known) {
    return known.fault.empty() && std::ranges::none_of(all_, [&](const KernelRelease& other) {
             return !other.fault.empty() && is_of(known.release, other.release);
           });
  });
  return good == all_.end() ? "boot one that your jobs are known to run with"
                            : fmt::format("boot {}", good->release);
}

std::string origin_text(const KernelRelease& release) {
  const auto* const comma = release.date.empty() || release.source.empty() ? "" : ", ";
  return fmt::format("{}{}{}", release.date, comma, release.source);
}

}  // namespace spark::host
