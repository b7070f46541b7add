#pragma once
// check_peer: another node, by what it told this one.

#include <chrono>
#include <string>
#include <vector>

#include "cli/doctor/cluster_check.hpp"
#include "cli/doctor/finding.hpp"
#include "cli/told_here.hpp"
#include "host/kernel_releases.hpp"

namespace spark::cli {

/// `node` is another one than this machine is. `boot` is the time since this machine booted, by
/// which each finding says how old it is.
Findings findings_of_peer(const ToldHere& told, const std::string& node,
                          std::chrono::nanoseconds boot, const NodeInCluster& known,
                          const host::KernelReleases& releases = host::KernelReleases());

}  // namespace spark::cli
