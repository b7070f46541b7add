#pragma once
// StatusWatch: told when the daemon writes its status anew.

#include <chrono>
#include <optional>
#include <string>

#include "base/unique_fd.hpp"

namespace spark {

/// Also when the file's directory is still to come.
class StatusWatch {
 public:
  /// `root`: where /run is.
  explicit StatusWatch(const std::string& root);

  /// Until something is told, or `end`, or a second is over: a directory that came meanwhile is not
  /// watched yet, so the file is looked at now and then.
  void wait(std::optional<std::chrono::steady_clock::time_point> end) const;

 private:
  UniqueFd inotify_;
};

}  // namespace spark
