#include "host/process/child.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/wait.hpp"

namespace spark::host {
namespace {

/// As execve(2) takes them, which does not write to them.
std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (const auto& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

/// What posix_spawn asks for, freed at the end.
class Setup {
 public:
  explicit Setup(const SpawnRequest& request) {
    error_ = posix_spawn_file_actions_init(&actions_);
    add(request.in < 0
            ? posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
            : posix_spawn_file_actions_adddup2(&actions_, request.in, STDIN_FILENO));
    add(posix_spawn_file_actions_adddup2(&actions_, request.out, STDOUT_FILENO));
    if (request.err >= 0) {
      add(posix_spawn_file_actions_adddup2(&actions_, request.err, STDERR_FILENO));
    }
    // Libraries open descriptors too, and not all of them with O_CLOEXEC (Asio's sockets).
    add(posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1));
    if (!request.directory.empty()) {
      add(posix_spawn_file_actions_addchdir_np(&actions_, request.directory.c_str()));
    }
    add(posix_spawnattr_init(&attributes_));
    sigset_t none;
    static_cast<void>(sigemptyset(&none));  // these cannot fail
    sigset_t defaults = none;
    static_cast<void>(request.forgets_signals ? sigfillset(&defaults)
                                              : sigaddset(&defaults, SIGPIPE));
    add(posix_spawnattr_setsigmask(&attributes_, &none));
    add(posix_spawnattr_setsigdefault(&attributes_, &defaults));
    add(posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
  }
  Setup(const Setup&) = delete;
  Setup& operator=(const Setup&) = delete;
  ~Setup() {
    static_cast<void>(posix_spawn_file_actions_destroy(&actions_));
    static_cast<void>(posix_spawnattr_destroy(&attributes_));
  }

  /// 0 or an errno.
  int start(pid_t& child, const SpawnRequest& request) {
    auto argv = pointers_to(request.words);
    auto environment = pointers_to(request.environment);
    return error_ != 0 ? error_
                       : posix_spawn(&child, argv.front(), &actions_, &attributes_, argv.data(),
                                     environment.data());
  }

 private:
  void add(int error) { error_ = error_ != 0 ? error_ : error; }

  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
  int error_ = 0;
};

/// One that stands there already would be closed by the new program.
bool put_in_place(int from, int to) {
  return from == to ? fcntl(to, F_SETFD, 0) == 0 : dup2(from, to) == to;
}

/// The forked child's way to the new program. False: one of the steps failed; errno says why.
bool prepare_child(const SpawnRequest& request) {
  const rlimit limit{.rlim_cur = request.most_memory, .rlim_max = request.most_memory};
  const int in = request.in < 0 ? open("/dev/null", O_RDONLY) : request.in;
  for (int number = 1; request.forgets_signals && number < NSIG; ++number) {
    static_cast<void>(std::signal(number, SIG_DFL));  // two of them cannot be set
  }
  static_cast<void>(std::signal(SIGPIPE, SIG_DFL));
  sigset_t none;
  static_cast<void>(sigemptyset(&none));
  return setpgid(0, 0) == 0 && in >= 0 && put_in_place(in, STDIN_FILENO) &&
         put_in_place(request.out, STDOUT_FILENO) &&
         (request.err < 0 || put_in_place(request.err, STDERR_FILENO)) &&
         close_range(STDERR_FILENO + 1, ~0U, 0) == 0 &&
         (request.directory.empty() || chdir(request.directory.c_str()) == 0) &&
         setrlimit(RLIMIT_DATA, &limit) == 0 && sigprocmask(SIG_SETMASK, &none, nullptr) == 0;
}

/// posix_spawn(3) sets no limits, and prlimit(1) would be one more program to start.
Result<pid_t> fork_below_limit(const SpawnRequest& request, const std::string& what) {
  const auto argv = pointers_to(request.words);
  const auto environment = pointers_to(request.environment);
  const pid_t child = fork();
  if (child < 0) return fail_errno(errno, what);
  if (child == 0) {
    if (prepare_child(request)) execve(argv.front(), argv.data(), environment.data());
    perror(argv.front());
    constexpr int kNotStarted = 127;
    _exit(kNotStarted);
  }
  // The child does so too; who is first depends on the scheduler, and both have to find the group.
  static_cast<void>(setpgid(child, child));
  return child;
}

}  // namespace

Result<pid_t> spawn(const SpawnRequest& request, const std::string& what) {
  // posix_spawn tells of it too, but for emulators, whose vfork shares no memory.
  if (access(request.words.front().c_str(), X_OK) != 0) return fail_errno(errno, what);
  if (request.most_memory != 0) return fork_below_limit(request, what);
  pid_t child = 0;
  if (const int error = Setup(request).start(child, request); error != 0) {
    return fail_errno(error, what);
  }
  return child;
}

UniqueFd process_handle(pid_t child) {
  // By its number: glibc has no wrapper before 2.36, whose header lacks `extern "C"`.
  return UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, child, 0)));
}

Result<Pipe> make_pipe(const std::string& what) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return fail_errno(errno, what);
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostOutput = std::size_t{64} * 1024;
/// A killed process that is not gone by then is stuck in the kernel.
constexpr std::chrono::seconds kDyingTime{1};
constexpr int kSignalBase = 128;

using Sink = std::function<void(std::string_view bytes)>;

/// As much of it as fits.
Sink kept_in(std::string& text) {
  return [&text](std::string_view bytes) { text += bytes.substr(0, kMostOutput - text.size()); };
}

/// Reads once. False: the other end is closed, or reading failed.
bool read_some(int descriptor, const Sink& sink) {
  std::array<char, 4096> buffer{};
  const auto size = read(descriptor, buffer.data(), buffer.size());
  if (size < 0) return errno == EINTR;
  sink({buffer.data(), static_cast<std::size_t>(size)});
  return size > 0;
}

/// Reads both until their other ends are closed. One alone would leave a child that fills the other
/// waiting. False: not before `end`.
bool read_until(int out, int err, Clock::time_point end, const std::array<Sink, 2>& sinks) {
  // poll(2) passes over negative descriptors.
  std::array<pollfd, 2> entries{
      {{.fd = out, .events = POLLIN, .revents = 0}, {.fd = err, .events = POLLIN, .revents = 0}}};
  while (entries[0].fd >= 0 || entries[1].fd >= 0) {
    if (poll_until(entries, end) <= 0) return false;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (entries[i].revents != 0 && !read_some(entries[i].fd, sinks.at(i))) entries[i].fd = -1;
    }
  }
  return true;
}

/// Collects a process that has ended. One that is traced may still be its tracer's for a moment.
bool collect(pid_t child, int& status) {
  pid_t ended = 0;
  do {
    ended = waitpid(child, &status, 0);
  } while (ended < 0 && errno == EINTR);
  return ended == child;
}

}  // namespace

Result<ChildOutput> run_child(const std::vector<std::string>& words,
                              std::chrono::milliseconds deadline, const ChildSetup& setup) {
  const auto what = fmt::format("run '{}'", words.front());
  const auto end = Clock::now() + deadline;
  auto out = make_pipe(what);
  if (!out) return std::unexpected(out.error());
  auto err = make_pipe(what);
  if (!err) return std::unexpected(err.error());
  const auto spawned = spawn({.words = words,
                              .environment = setup.environment,
                              .in = setup.in,
                              .out = out->write_end.get(),
                              .err = err->write_end.get(),
                              .most_memory = setup.most_memory},
                             what);
  if (!spawned) return std::unexpected(spawned.error());
  const auto child = *spawned;
  out->write_end.reset();
  err->write_end.reset();
  const auto process = process_handle(child);

  ChildOutput output;
  const std::array<Sink, 2> sinks{setup.on_out ? setup.on_out : kept_in(output.out),
                                  kept_in(output.err)};
  const bool in_time = read_until(out->read_end.get(), err->read_end.get(), end, sinks) &&
                       wait_for(process.get(), POLLIN, end);
  if (!in_time) {
    static_cast<void>(kill(-child, SIGKILL));  // it may just have ended
  }
  int status = 0;
  const bool gone =
      wait_for(process.get(), POLLIN, Clock::now() + kDyingTime) && collect(child, status);
  if (!in_time || !gone) {
    return fail(ErrorCode::kTimeout,
                fmt::format("{}: not done within {} ms; {}", what, deadline.count(),
                            gone ? "it was killed" : "it cannot be killed, and is left behind"));
  }
  output.status = WIFEXITED(status) ? WEXITSTATUS(status) : kSignalBase + WTERMSIG(status);
  return output;
}

}  // namespace spark::host
