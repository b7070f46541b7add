#pragma once
// run_daemon: keeps this node true until it is told to stop. Whatever changes only marks it dirty;
// passes run on one worker, and everything else on one loop.

#include <string>

#include "base/exit_code.hpp"
#include "base/result.hpp"
#include "daemon/keeper.hpp"
#include "host/host.hpp"

namespace spark {

struct DaemonOptions {
  KeeperOptions keeper;
  std::string root = "/";  ///< where /etc, /var and /run are, to be told when files change there
};

/// Returns after SIGTERM or SIGINT, with the correction in hand finished and everything left as it
/// is. Blocks these signals and SIGHUP, which has the file read again.
/// Errors: what keeps it from starting.
Result<> run_daemon(Host& host, DaemonOptions options);

}  // namespace spark
