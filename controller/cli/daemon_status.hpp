#pragma once
// DaemonStatus: what the daemon last wrote of itself, for verbs that show it.

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "host/files.hpp"

namespace spark {

struct DaemonStatus {
  std::string verdict;      ///< "ready", "not ready", "waiting", "unknown"
  std::string why;          ///< empty where it is ready
  std::string refused;      ///< why the file is not in force; empty: it is
  std::string paused;       ///< until when and why; empty: it is not
  bool released = false;    ///< the node was given back; `why` says when and by whom
  bool file_waits = false;  ///< a new file comes into force once it is no longer released
  std::vector<std::string>
      left_alone;            ///< resources that are contested, or whose correction failed
  std::string generated_at;  ///< UTC
  std::string file;          ///< path of the cluster file that it follows
  std::string digest;        ///< of the file in force
};

/// The daemon's status as JSON; null: none has written since the machine booted, or what is there
/// is none. Errors: those of the files port.
Result<nlohmann::json> read_daemon_status(Files& files);

/// Empty: no daemon has written since the machine booted, or one of another version.
/// Errors: those of the files port.
Result<std::optional<DaemonStatus>> read_last_status(Files& files);

/// "mtu eth0: contested until …: corrected 3 times …", of an episode of the status; with the way
/// out.
std::string drift_text(const nlohmann::json& drift);

/// Lines for `status`, each ended.
std::string daemon_text(const DaemonStatus& word);

}  // namespace spark
