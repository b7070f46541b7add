#pragma once
// Triggers: what asked for a pass, for the counters and for a reload.

#include <cstdint>
#include <map>
#include <string>

namespace spark::daemon {

/// How often each source asked for a pass since the last one: "netlink", "timer", "reload".
using Triggers = std::map<std::string, std::uint64_t>;

}  // namespace spark::daemon
