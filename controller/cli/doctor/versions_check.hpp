#pragma once
// check_versions: whether this node and its peers have the same firmware, drivers and system, and
// disks of their own.

#include <optional>
#include <string_view>
#include <vector>

#include "cli/doctor/finding.hpp"
#include "host/kernel_releases.hpp"
#include "protocol/peers.hpp"

namespace spark::cli {

/// By what the daemon tells of this node and what peers told; nobody is asked. Empty: neither is
/// known.
Findings check_versions(const Command& command);

/// `only`: what is to be said of that node; empty: of all.
Findings findings_of_versions(const protocol::NodeDetails& own,
                              const std::vector<protocol::ToldDetails>& told,
                              std::string_view only = {},
                              const host::KernelReleases& releases = host::KernelReleases());

}  // namespace spark::cli
