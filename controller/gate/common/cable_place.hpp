#pragma once
// cable_elsewhere: the cable of a cage without carrier may be in the other cage.

#include <string>

#include "config/node.hpp"
#include "host/view.hpp"

namespace spark::gate {

/// A hint for a rail `link` without a carrier: "cage 0 has a carrier and is not in the file: …".
/// Empty: no cage that the file leaves out has a carrier.
std::string cable_elsewhere(const config::Node& node, host::View& view, const std::string& link);

}  // namespace spark::gate
