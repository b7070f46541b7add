#include "cli/state_here/status_watch.hpp"

#include <algorithm>
#include <array>

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "protocol/peers.hpp"
#include "protocol/web.hpp"

namespace spark::cli {

using Clock = std::chrono::steady_clock;

StatusWatch::StatusWatch(const std::string& root)
    : inotify_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
  constexpr std::uint32_t kChanges = IN_MOVED_TO | IN_CREATE | IN_DELETE;
  const auto folder_of = [](const std::string& path) { return path.substr(0, path.rfind('/')); };
  const auto below = root == "/" ? std::string() : root;
  const auto own = folder_of(below + protocol::kNodeStateFile);
  for (const auto& path : {own, folder_of(own), folder_of(below + protocol::kPeersReportFile)}) {
    static_cast<void>(inotify_add_watch(inotify_.get(), path.c_str(), kChanges));
  }
}

void StatusWatch::wait(std::optional<Clock::time_point> end) const {
  constexpr std::chrono::milliseconds kLongest{1000};
  auto left = kLongest;
  if (end) {
    left = std::clamp(std::chrono::ceil<std::chrono::milliseconds>(*end - Clock::now()),
                      std::chrono::milliseconds(0), kLongest);
  }
  pollfd entry{.fd = inotify_.get(), .events = POLLIN, .revents = 0};
  if (poll(&entry, 1, static_cast<int>(left.count())) > 0) {
    std::array<char, 4096> told{};
    while (read(inotify_.get(), told.data(), told.size()) > 0) {
    }
  }
}

}  // namespace spark::cli
