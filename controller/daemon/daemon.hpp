#pragma once
// run_daemon: keeps this node true until it is told to stop. Whatever changes only marks it dirty;
// passes run on one worker, and everything else on one loop.

#include <string>
#include <string_view>

#include "base/exit_code.hpp"
#include "base/result.hpp"
#include "host/host.hpp"

namespace spark {

struct DaemonOptions {
  const std::string& file;   ///< absolute path of the cluster file; empty: the default
  const std::string& node;   ///< name in the file; empty: the node that this machine is
  const std::string& root;   ///< where /etc, /var and /run are
  std::string_view version;  ///< of the program
};

/// Returns after SIGTERM or SIGINT, with the correction in hand finished and everything left as it
/// is. SIGHUP has the file read again.
/// Errors: kBusy when there is a daemon on this machine already; else what keeps it from starting.
Result<> run_daemon(Host& host, const DaemonOptions& options);

}  // namespace spark
