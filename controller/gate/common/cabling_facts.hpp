#pragma once
// What a person reads of a cable's other end.

#include <set>
#include <string>
#include <vector>

#include "config/node.hpp"
#include "gate/common/facts.hpp"
#include "protocol/peers.hpp"

namespace spark::gate {

/// Where a cable is at this node, and where the file has its other end.
struct CablePlugs {
  Plug ours;
  Plug expected;  ///< of a switch: any of its ends
};

/// The cable leads to another end of the file: names both, and which plugs to swap.
Fact wrong_cable(const config::Node& node, const CablePlugs& plugs, const Plug& found);

/// The other nodes of the file that are heard on that link at the same time. A cable has one other
/// end, so more than one are connected by a switch. Of a cable that was moved, who was heard before
/// is heard no more when the next one is.
std::set<std::string> heard_at_once(const std::vector<protocol::HeardHello>& heard,
                                    const config::Node& node, const std::string& link);

/// Several nodes are heard where the file has a cable. It closes nothing: the peer answers.
Fact switch_for_cable(const CablePlugs& plugs, const std::set<std::string>& others);

}  // namespace spark::gate
