#include "host/child.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/unique_fd.hpp"

namespace spark {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostOutput = std::size_t{64} * 1024;
/// A killed process that is not gone by then is stuck in the kernel.
constexpr std::chrono::seconds kDyingTime{1};
constexpr int kSignalBase = 128;

/// What posix_spawn asks for, given back at the end.
class SpawnSetup {
 public:
  explicit SpawnSetup(int out) {
    error_ = posix_spawn_file_actions_init(&actions_);
    add(posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0));
    add(posix_spawn_file_actions_adddup2(&actions_, out, STDOUT_FILENO));
    add(posix_spawnattr_init(&attributes_));
    // A group of its own, so that nothing it starts outlives the deadline, and no blocked signals.
    sigset_t none;
    static_cast<void>(sigemptyset(&none));  // cannot fail
    sigset_t defaults = none;
    static_cast<void>(sigaddset(&defaults, SIGPIPE));
    add(posix_spawnattr_setsigmask(&attributes_, &none));
    add(posix_spawnattr_setsigdefault(&attributes_, &defaults));
    add(posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;
  ~SpawnSetup() {
    static_cast<void>(posix_spawn_file_actions_destroy(&actions_));
    static_cast<void>(posix_spawnattr_destroy(&attributes_));
  }

  /// 0 or an errno.
  int start(pid_t& child, const std::vector<std::string>& words) {
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (const auto& word : words) {
      argv.push_back(const_cast<char*>(word.c_str()));  // execve(2) does not write to them
    }
    argv.push_back(nullptr);
    std::array<char*, 1> no_environment{nullptr};
    return error_ != 0 ? error_
                       : posix_spawn(&child, words.front().c_str(), &actions_, &attributes_,
                                     argv.data(), no_environment.data());
  }

 private:
  void add(int error) { error_ = error_ != 0 ? error_ : error; }

  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
  int error_ = 0;
};

std::chrono::milliseconds left_until(Clock::time_point end) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
  return std::max(left, std::chrono::milliseconds(0));
}

/// Waits until the descriptor can be read or is at its end. False: not before `end`.
bool wait_readable_until(int descriptor, Clock::time_point end) {
  while (true) {
    pollfd entry{.fd = descriptor, .events = POLLIN, .revents = 0};
    const int ready = poll(&entry, 1, static_cast<int>(left_until(end).count()));
    if (ready >= 0 || errno != EINTR) {
      return ready > 0;
    }
  }
}

/// Reads until the other end is closed. False: not before `end`.
bool read_until(int descriptor, Clock::time_point end, std::string& text) {
  std::array<char, 4096> buffer{};
  while (wait_readable_until(descriptor, end)) {
    const auto size = read(descriptor, buffer.data(), buffer.size());
    if (size == 0) {
      return true;
    }
    if (size < 0 && errno != EINTR) {
      return false;
    }
    const auto wanted = std::min<std::size_t>(static_cast<std::size_t>(std::max<ssize_t>(size, 0)),
                                              kMostOutput - text.size());
    text.append(buffer.data(), wanted);
  }
  return false;
}

}  // namespace

Result<ChildOutput> run_child(const std::vector<std::string>& words,
                              std::chrono::milliseconds deadline) {
  const auto what = fmt::format("run '{}'", words.front());
  const auto end = Clock::now() + deadline;
  // posix_spawn tells of it too, but for emulators, whose vfork shares no memory.
  if (access(words.front().c_str(), X_OK) != 0) {
    return fail_errno(errno, what);
  }
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    return fail_errno(errno, what);
  }
  const UniqueFd out(ends[0]);
  UniqueFd write_end(ends[1]);
  pid_t child = 0;
  if (const int error = SpawnSetup(write_end.get()).start(child, words); error != 0) {
    return fail_errno(error, what);
  }
  write_end.reset();
  // glibc has no wrapper before 2.36. Readable once the process has ended.
  const UniqueFd process(static_cast<int>(syscall(SYS_pidfd_open, child, 0)));

  ChildOutput output;
  const bool in_time =
      read_until(out.get(), end, output.out) && wait_readable_until(process.get(), end);
  if (!in_time) {
    static_cast<void>(kill(-child, SIGKILL));  // it may just have ended
  }
  int status = 0;
  const bool gone = wait_readable_until(process.get(), Clock::now() + kDyingTime) &&
                    waitpid(child, &status, WNOHANG) == child;
  if (!in_time || !gone) {
    return fail(ErrorCode::kTimeout,
                fmt::format("{}: not done within {} ms; {}", what, deadline.count(),
                            gone ? "it was killed" : "it cannot be killed, and is left behind"));
  }
  output.status = WIFEXITED(status) ? WEXITSTATUS(status) : kSignalBase + WTERMSIG(status);
  return output;
}

}  // namespace spark
