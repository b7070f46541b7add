#include "host/child.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/unique_fd.hpp"
#include "host/spawn.hpp"

namespace spark {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostOutput = std::size_t{64} * 1024;
/// A killed process that is not gone by then is stuck in the kernel.
constexpr std::chrono::seconds kDyingTime{1};
constexpr int kSignalBase = 128;

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
  const auto spawned = spawn({.words = words, .environment = {}, .out = write_end.get()}, what);
  if (!spawned) return std::unexpected(spawned.error());
  const auto child = *spawned;
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
