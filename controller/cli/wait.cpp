// The verb `wait`: until the daemon says that this node is ready.

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/paths.hpp"
#include "base/unique_fd.hpp"
#include "cli/command.hpp"
#include "cli/daemon_word.hpp"
#include "cli/json_output.hpp"

namespace spark {
namespace {

using Clock = std::chrono::steady_clock;

/// Told when the daemon writes anew, also when its directory is still to come.
class StatusWatch {
 public:
  explicit StatusWatch(const std::string& root)
      : inotify_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
    constexpr std::uint32_t kChanges = IN_MOVED_TO | IN_CREATE | IN_DELETE;
    const std::string file = root == "/" ? kStatusFile : root + kStatusFile;
    const auto directory = file.substr(0, file.rfind('/'));
    for (const auto& path : {directory, directory.substr(0, directory.rfind('/'))}) {
      static_cast<void>(inotify_add_watch(inotify_.get(), path.c_str(), kChanges));
    }
  }

  /// Until something is told, or `end`.
  void wait(std::optional<Clock::time_point> end) const {
    // A directory that came meanwhile is not watched yet, so it is looked at now and then.
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

 private:
  UniqueFd inotify_;
};

bool is_ready(const std::optional<DaemonWord>& word) { return word && word->verdict == "ready"; }

}  // namespace

ExitCode wait_until_ready(const Command& command) {
  const auto& [arguments, terminal, host] = command;
  const auto limit = arguments.timeout;
  const auto end = limit.count() == 0 ? std::nullopt : std::optional(Clock::now() + limit);
  const StatusWatch watch(arguments.root);
  // One that cannot be read now will not be read later either.
  auto read = read_daemon_word(host.files);
  while (read && !is_ready(*read) && (!end || Clock::now() < *end)) {
    watch.wait(end);
    read = read_daemon_word(host.files);
  }
  if (!read) return report_error(command, read.error());
  const auto& word = *read;
  const std::string verdict = word ? word->verdict : "unknown";
  const std::string why = word ? word->why
                               : "the daemon does not run, or has not looked yet: `systemctl "
                                 "status spark-reconcile`";
  const auto code = is_ready(word) ? ExitCode::kDone : ExitCode::kWaiting;
  if (arguments.json) {
    print_json(terminal, "wait", Cluster{}, "", code, {{"verdict", verdict}, {"why", why}});
  } else if (is_ready(word)) {
    terminal.print_always("ready\n");
  } else {
    terminal.complain(fmt::format("spark-reconcile: not ready within {} s: {}{}\n",
                                  std::chrono::duration<double>(limit).count(), verdict,
                                  why.empty() ? "" : ": " + why));
  }
  return code;
}

}  // namespace spark
