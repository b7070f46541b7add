#include "host/process/spawn.hpp"

#include <csignal>

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

namespace spark::host {
namespace {

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
  /// As execve(2) takes them, which does not write to them.
  static std::vector<char*> pointers_to(const std::vector<std::string>& words) {
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (const auto& word : words) {
      pointers.push_back(const_cast<char*>(word.c_str()));
    }
    pointers.push_back(nullptr);
    return pointers;
  }

  void add(int error) { error_ = error_ != 0 ? error_ : error; }

  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
  int error_ = 0;
};

}  // namespace

Result<pid_t> spawn(const SpawnRequest& request, const std::string& what) {
  pid_t child = 0;
  if (const int error = Setup(request).start(child, request); error != 0) {
    return fail_errno(error, what);
  }
  return child;
}

}  // namespace spark::host
