#pragma once
// observe_node: what `doctor` finds about the node itself: what differs from the file, is skipped,
// or lacks its cable. findings_of: what the daemon refuses or leaves alone.

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/daemon_status.hpp"
#include "cli/input/cluster_file.hpp"

namespace spark::cli {

/// One line of `doctor`.
struct Finding {
  std::string name;  ///< "journal"
  bool good = true;
  std::string what;
  std::string remedy;  ///< a command, or what to do; empty where it is good
};

/// What this machine's plan shows. `file` must be valid.
std::vector<Finding> observe_node(const Command& command, ClusterFile file);

/// What the running daemon reports; empty: all is well.
std::vector<Finding> findings_of(const DaemonStatus& word);

}  // namespace spark::cli
