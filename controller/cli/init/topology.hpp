#pragma once
// topology_text: the cluster file of nodes that are joined in one of the usual ways.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/ip.hpp"
#include "base/result.hpp"
#include "cli/init/node_names.hpp"
#include "cli/init/rails_here.hpp"

namespace spark::cli {

enum class Topology : std::uint8_t {
  kPair,    ///< one cable between two nodes
  kRing,    ///< cables from cage 0 of each node to cage 1 of the next
  kSwitch,  ///< one cage of each node at a switch
};

/// What is known of the machine that writes the file. All may be empty.
struct MachineHere {
  std::string lan;                     ///< link of the default route
  std::vector<int> carriers;           ///< cages with a carrier
  std::set<int> lan_cages;             ///< of which a rail is the way to the LAN
  std::map<int, SubnetsInUse> in_use;  ///< by cage, what its rails have already
  std::vector<IpPrefix> taken;         ///< subnets that addresses and routes use
};

/// Errors: kNotFound when no subnets are free; kInvalid where a cage that is the way to the LAN
/// would have a cable.
Result<std::string> topology_text(Topology topology, const NodeNames& nodes, MachineHere machine);

}  // namespace spark::cli
