#pragma once
// DaemonLog: writes one line to the daemon's own log.

#include <functional>
#include <string_view>

namespace spark::daemon {

/// `priority` as syslog(3) has them.
using DaemonLog = std::function<void(int priority, std::string_view text)>;

}  // namespace spark::daemon
