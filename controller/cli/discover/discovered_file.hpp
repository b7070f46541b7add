#pragma once
// discovered_text: the cluster file of nodes whose cables were heard.

#include <map>
#include <string>
#include <vector>

#include "base/ip.hpp"
#include "base/result.hpp"
#include "cli/discover/wiring.hpp"
#include "cli/init/rails_here.hpp"

namespace spark::cli {

/// What this node has on its rails already.
struct OwnRails {
  std::string node;
  std::map<int, SubnetsInUse> in_use;  ///< by cage
};

/// Of a wiring that is whole. A cable or switch keeps the subnets that all of its ends have, and
/// this node its number. Others clash with none of `taken`, nor with those that the nodes told of.
/// Errors: kNotFound when no subnets are free.
Result<std::string> discovered_text(const Wiring& wiring,
                                    const std::vector<protocol::NodeRecord>& nodes,
                                    std::vector<IpPrefix> taken, const OwnRails& own = {});

}  // namespace spark::cli
