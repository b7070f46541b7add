#pragma once
// examine_peer: another node, by what it told this one.

#include <chrono>
#include <optional>
#include <string>

#include "cli/doctor/cluster_check.hpp"
#include "cli/state_here/told_here.hpp"
#include "host/kernel_releases.hpp"

namespace spark::cli {

/// `node` is another one than this machine is. `boot` is the time since this machine booted, by
/// which each finding says how old it is. `here`: empty: nothing is known of the cluster.
Examination examine_peer(const cluster::Told& told, const std::string& node,
                         std::chrono::nanoseconds boot, const std::optional<ClusterHere>& here,
                         const host::KernelReleases& releases = host::KernelReleases());

}  // namespace spark::cli
