#pragma once
// look_at_node: what `doctor` says of the node itself: what differs from the file, is skipped,
// lacks its cable, or was left alone by the daemon.

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/daemon_status.hpp"
#include "cli/input/cluster_file.hpp"

namespace spark {

/// One line of `doctor`.
struct Finding {
  std::string name;  ///< "journal"
  bool good = true;
  std::string what;
  std::string remedy;  ///< a command, or what to do; empty where it is good
};

/// The plan of this machine by a file that is valid.
std::vector<Finding> observe_node(const Command& command, ClusterFile file);

/// What the running daemon says beside that it runs; empty: all is well.
std::vector<Finding> findings_of(const DaemonStatus& word);

}  // namespace spark
