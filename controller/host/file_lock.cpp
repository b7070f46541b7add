#include "host/file_lock.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/text.hpp"
#include "host/process/file_io.hpp"

namespace spark::host {
namespace {

/// The command line of a process with the program's bare name; empty when it is gone.
std::string command_of(int process) {
  auto command = read_proc(fmt::format("/proc/{}/cmdline", process)).value_or("");
  while (command.ends_with('\0')) command.pop_back();
  const auto program_end = std::min(command.find('\0'), command.size());
  command.erase(0, command.rfind('/', program_end) + 1);
  std::ranges::replace(command, '\0', ' ');
  return command;
}

/// From what the holder wrote into the file: the lock itself does not name its process.
std::string describe_holder(int file) {
  constexpr std::size_t kLimitBytes = 64;
  const auto text = read_all(file, kLimitBytes, "read the lock").value_or("");
  int process = 0;
  std::from_chars(text.data(), text.data() + text.size(), process);
  if (process <= 0) return "another process";
  const auto command = command_of(process);
  return fmt::format("process {}{}", process, command.empty() ? "" : fmt::format(" ({})", command));
}

std::string held_text(int file, const struct stat& status) {
  return fmt::format("held by {} since {:%F %TZ}", describe_holder(file),
                     fmt::gmtime(status.st_mtime));
}

/// By a line such as "1: FLOCK  ADVISORY  WRITE 1234 00:1b:710 0 EOF"; one that only waits for a
/// lock has "-> FLOCK".
Result<bool> is_locked(const struct stat& status) {
  const auto locks = read_proc("/proc/locks");
  if (!locks) return std::unexpected(locks.error());
  const auto file =
      fmt::format(" {:02x}:{:02x}:{} ", major(status.st_dev), minor(status.st_dev), status.st_ino);
  return std::ranges::any_of(lines_of(*locks), [&](std::string_view line) {
    return line.find(": FLOCK ") != std::string_view::npos &&
           line.find(file) != std::string_view::npos;
  });
}

}  // namespace

Result<FileLock> take_lock(UniqueFd file, const std::string& what) {
  struct stat status{};
  if (fstat(file.get(), &status) != 0) return fail_errno(errno, what);
  if (!S_ISREG(status.st_mode)) {
    return fail(ErrorCode::kInvalid, what + ": it is not a regular file");
  }
  if ((status.st_mode & 07777U) != kLockMode && fchmod(file.get(), kLockMode) != 0) {
    return fail_errno(errno, what);
  }
  if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return fail_errno(errno, what);
    return fail(ErrorCode::kBusy, fmt::format("{}: {}", what, held_text(file.get(), status)));
  }
  const auto owner = fmt::format("{}\n", getpid());
  if (ftruncate(file.get(), 0) != 0) return fail_errno(errno, what);
  if (auto written = write_all(file.get(), owner, what); !written) {
    return std::unexpected(written.error());
  }
  return FileLock{std::move(file)};
}

Result<std::optional<std::string>> lock_holder(const std::string& top, const std::string& name) {
  const auto what = fmt::format("look at the lock '{}'", name);
  // Without O_NONBLOCK the open of a FIFO would wait for a writer.
  const UniqueFd file(::open((top == "/" ? name : top + name).c_str(),
                             O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file.valid()) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    return errno == ELOOP ? fail(ErrorCode::kInvalid, what + ": it is a symbolic link")
                          : fail_errno(errno, what);
  }
  struct stat status{};
  if (fstat(file.get(), &status) != 0) return fail_errno(errno, what);
  if (!S_ISREG(status.st_mode)) {
    return fail(ErrorCode::kInvalid, what + ": it is not a regular file");
  }
  const auto locked = is_locked(status);
  if (!locked) return std::unexpected(locked.error());
  return *locked ? std::optional(held_text(file.get(), status)) : std::nullopt;
}

Result<bool> is_held(const std::string& path) {
  const auto what = fmt::format("look at the lock '{}'", path);
  struct stat status{};
  if (lstat(path.c_str(), &status) != 0) {
    return errno == ENOENT || errno == ENOTDIR ? Result<bool>(false) : fail_errno(errno, what);
  }
  if (!S_ISREG(status.st_mode)) {
    return fail(ErrorCode::kInvalid, what + ": it is not a regular file");
  }
  return is_locked(status);
}

bool is_at(const FileLock& lock, const std::string& path) {
  struct stat held{};
  struct stat there{};
  return fstat(lock.fd.get(), &held) == 0 && lstat(path.c_str(), &there) == 0 &&
         held.st_dev == there.st_dev && held.st_ino == there.st_ino;
}

}  // namespace spark::host
