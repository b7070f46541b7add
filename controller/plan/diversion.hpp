#pragma once
// find_diversions: peers whose packets would not leave by the rail that leads to them.

#include <vector>

#include "plan/plan.hpp"

namespace spark::plan {

/// One refusal for each rail with carrier whose peers' packets would leave by another device once
/// the plan is carried out: because of a routing rule that comes before the main table (VPN), or of
/// a route with a prefix at least as long as the rail's subnet (docker, LAN). Shorter prefixes lose
/// against the rail's own route and are fine. Asks the kernel once a peer.
std::vector<kinds::Refusal> find_diversions(const Plan& plan, const config::Node& node,
                                            host::View& view);

}  // namespace spark::plan
