#pragma once
// run_daemon: keeps this node as the file says, until a signal stops it. An event only asks for a
// pass. Passes run on one worker, and everything else on one loop.

#include <string>
#include <string_view>

#include "base/exit_code.hpp"
#include "base/moment.hpp"
#include "base/result.hpp"
#include "daemon/common/daemon_log.hpp"
#include "host/host.hpp"

namespace spark::daemon {

struct DaemonOptions {
  const std::string& file;   ///< absolute path of the cluster file; empty: the default
  const std::string& node;   ///< name in the file; empty: the node that this machine is
  const std::string& root;   ///< where /etc, /var and /run are
  std::string_view version;  ///< of the program
  host::Files& source;       ///< where `file` is: not below `root` where the user named it
  DaemonLog log;             ///< called from this thread alone
  Clock clock = now;
};

/// Returns after SIGTERM or SIGINT, or when its terminal is gone: finishes the current correction
/// and leaves everything as it is. Any other SIGHUP makes the daemon read the file again.
/// `gate_host` is this machine too, through ports of its own: the gate is observed beside the
/// corrections. Errors: kBusy when another daemon runs on this machine, or took the lock after
/// somebody removed it; else what prevents the start.
Result<> run_daemon(host::Host& host, host::Host& gate_host, const DaemonOptions& options);

}  // namespace spark::daemon
