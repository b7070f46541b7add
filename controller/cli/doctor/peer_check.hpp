#pragma once
// check_peer: another node, by what it told this one.

#include <chrono>
#include <string>
#include <vector>

#include "cli/doctor/finding.hpp"
#include "cli/told_here.hpp"
#include "cluster/cluster_view.hpp"

namespace spark::cli {

/// `node` is another one than this machine is. `boot` is the time since this machine booted, by
/// which each finding says how old it is. `causes`: those of the cluster at that node; empty where
/// the file here is not valid.
Findings findings_of_peer(const ToldHere& told, const std::string& node,
                          std::chrono::nanoseconds boot, const std::vector<cluster::Cause>& causes);

}  // namespace spark::cli
