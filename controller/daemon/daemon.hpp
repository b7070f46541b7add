#pragma once
// run_daemon: keeps this node true until it is told to stop. Whatever changes only marks it dirty;
// passes run on one worker, and everything else on one loop.

#include <string>
#include <string_view>

#include "base/exit_code.hpp"
#include "base/result.hpp"
#include "daemon/common/daemon_log.hpp"
#include "host/host.hpp"

namespace spark {

struct DaemonOptions {
  const std::string& file;   ///< absolute path of the cluster file; empty: the default
  const std::string& node;   ///< name in the file; empty: the node that this machine is
  const std::string& root;   ///< where /etc, /var and /run are
  std::string_view version;  ///< of the program
  Files& source;             ///< where `file` lies: below no root where the user named it
  DaemonLog log;             ///< called from this thread alone
};

/// Returns after SIGTERM or SIGINT, or when its terminal is gone, with the correction in hand
/// finished and everything left as it is. Any other SIGHUP has the file read again. `gate_host` is
/// this machine too, through ports of its own: the gate is looked at beside the corrections.
/// Errors: kBusy when there is a daemon on this machine already, or when somebody removed the lock
/// and another one took it; else what keeps it from starting.
Result<> run_daemon(Host& host, Host& gate_host, const DaemonOptions& options);

}  // namespace spark
