#pragma once
// discovered_text: the cluster file of nodes whose cables were heard.

#include <string>
#include <vector>

#include "base/ip.hpp"
#include "base/result.hpp"
#include "cli/discover/wiring.hpp"

namespace spark::cli {

/// Of a wiring that is whole. The subnets clash with none of `taken`, nor with those that the nodes
/// told of. Errors: kNotFound when no subnets are free.
Result<std::string> discovered_text(const Wiring& wiring,
                                    const std::vector<protocol::NodeRecord>& nodes,
                                    std::vector<IpPrefix> taken);

}  // namespace spark::cli
