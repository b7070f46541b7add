#pragma once
// read_agent_file: what the daemon on this machine is told in agent.yaml, which never comes from
// the cluster's file.

#include <string>

#include "config/agent.hpp"
#include "daemon/common/daemon_log.hpp"
#include "host/files.hpp"

namespace spark::daemon {

/// A file that is absent, or that is left out because anyone else may write it or it is wrong, has
/// the defaults; one that is wrong about the page alone holds (config::spoils_agent). `log` hears
/// why. `root`: before every path; empty: the system's own.
config::Agent read_agent_file(host::Files& files, const std::string& root, const DaemonLog& log);

}  // namespace spark::daemon
