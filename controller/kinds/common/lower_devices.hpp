#pragma once
// with_lower_devices: what a link stands on.

#include <set>
#include <string>

#include "host/view.hpp"

namespace spark::kinds {

/// `link` and everything it stands on: a VLAN is gone when its device is down.
std::set<std::string> with_lower_devices(host::View& view, const std::string& link);

}  // namespace spark::kinds
