#pragma once
// StatusWatch: waits until the daemon writes its status again, or spark-peers what it was told.

#include <chrono>
#include <optional>
#include <string>

#include "base/unique_fd.hpp"

namespace spark::cli {

/// Works also before the file's directory exists.
class StatusWatch {
 public:
  /// `root`: where /run is.
  explicit StatusWatch(const std::string& root);

  /// Returns at an event, at `end`, or after 1 s: a directory that came meanwhile is not watched
  /// yet, so the caller reads the file now and then.
  void wait(std::optional<std::chrono::steady_clock::time_point> end) const;

 private:
  UniqueFd inotify_;
};

}  // namespace spark::cli
