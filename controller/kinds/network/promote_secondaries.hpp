#pragma once
// promote_secondaries: what the kernel does with a secondary IPv4 address when its primary is
// removed: promotes it, or deletes it too (ip-sysctl, promote_secondaries).

#include <string>

#include "host/view.hpp"

namespace spark::kinds {

/// The sysctl of the link, as a path below /proc/sys.
std::string promote_key(const std::string& link);

/// The kernel ORs the link's value with that of `all` (IN_DEV_PROMOTE_SECONDARIES).
bool promotes_secondaries(host::View& view, const std::string& link);

}  // namespace spark::kinds
