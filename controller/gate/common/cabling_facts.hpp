#pragma once
// What a person reads of a cable's other end.

#include <string>

#include "config/node.hpp"
#include "gate/common/facts.hpp"

namespace spark::gate {

/// Where a cable is at this node, and where the file has its other end.
struct CablePlugs {
  Plug ours;
  Plug expected;  ///< of a switch: any of its ends
};

/// The cable leads to another end of the file: names both, and which plugs to swap.
Fact wrong_cable(const config::Node& node, const CablePlugs& plugs, const Plug& found);

}  // namespace spark::gate
