#pragma once
// StatusWatch: sees the daemon put down its status after each pass.

#include <chrono>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/unique_fd.hpp"

namespace spark::bench {

class StatusWatch {
 public:
  /// `file` is the daemon's status.json; its directory is there.
  explicit StatusWatch(std::string file);

  /// Waits until the next one. One that does not come within ten seconds ends the benchmarks.
  void wait() const;
  /// Waits until none came for so long.
  void wait_for_silence(std::chrono::milliseconds silence) const;

  /// What it says now.
  [[nodiscard]] nlohmann::json read() const;

 private:
  /// False: none within so long.
  [[nodiscard]] bool comes_within(std::chrono::milliseconds time) const;

  std::string file_;
  UniqueFd inotify_;
};

}  // namespace spark::bench
