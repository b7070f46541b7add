#pragma once
// DaemonWord: what the daemon last wrote of itself, for verbs that show it.

#include <optional>
#include <string>
#include <vector>

#include "host/files.hpp"

namespace spark {

struct DaemonWord {
  std::string verdict;  ///< "ready", "not ready", "waiting", "unknown"
  std::string why;      ///< empty where it is ready
  std::string refused;  ///< why the file is not in force; empty: it is
  std::string paused;   ///< until when and why; empty: it is not
  std::vector<std::string>
      left_alone;            ///< resources that are contested, or whose correction failed
  std::string generated_at;  ///< UTC
};

/// Empty: no daemon has written since the machine booted, or one of another version.
/// Errors: those of the files port.
Result<std::optional<DaemonWord>> read_daemon_word(Files& files);

/// Lines for `status`, each ended.
std::string daemon_text(const DaemonWord& word);

}  // namespace spark
