// Runs a program with all that it starts, and kills all of it before one of the calls that change a
// file or the network.
//
//   kill_before [--alone] NTH DIRECTORIES LOG -- PROGRAM [WORD...]
//
// strace counts the calls of each process by itself; git is several at a time. Here the calls of
// all processes have one number. A call counts that changes a file below one of DIRECTORIES (with
// ':' between them), or the network by NETLINK_ROUTE. LOG has a line for each; where NTH is
// reached, the last is the one that was not made, and this process ends by SIGKILL too. --alone:
// what the program starts is left alone, and lives on.

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr std::uint64_t kNoFd = 1000000;

/// Where a call has the name of what it changes: a directory's descriptor and a path, or a
/// descriptor alone.
struct Shape {
  long number;
  const char* name;
  int directory;  // argument; -1: the working directory
  int path;       // argument; -1: `directory` is what is changed
  int flags;      // argument: only with O_CREAT or O_TRUNC; -1: always
};

constexpr std::array kShapes{
    Shape{SYS_openat, "openat", 0, 1, 2},
    Shape{SYS_unlinkat, "unlinkat", 0, 1, -1},
    Shape{SYS_renameat2, "renameat2", 2, 3, -1},
    Shape{SYS_linkat, "linkat", 2, 3, -1},
    Shape{SYS_symlinkat, "symlinkat", 1, 2, -1},
    Shape{SYS_mkdirat, "mkdirat", 0, 1, -1},
    Shape{SYS_fchmodat, "fchmodat", 0, 1, -1},
    Shape{SYS_fchownat, "fchownat", 0, 1, -1},
    Shape{SYS_truncate, "truncate", -1, 0, -1},
    Shape{SYS_write, "write", 0, -1, -1},
    Shape{SYS_pwrite64, "pwrite64", 0, -1, -1},
    Shape{SYS_writev, "writev", 0, -1, -1},
    Shape{SYS_ftruncate, "ftruncate", 0, -1, -1},
    Shape{SYS_fsync, "fsync", 0, -1, -1},
    Shape{SYS_fdatasync, "fdatasync", 0, -1, -1},
    Shape{SYS_fchmod, "fchmod", 0, -1, -1},
    Shape{SYS_fchown, "fchown", 0, -1, -1},
#ifdef SYS_renameat
    Shape{SYS_renameat, "renameat", 2, 3, -1},
#endif
#ifdef SYS_open  // not on arm64
    Shape{SYS_open, "open", -1, 0, 1},
    Shape{SYS_creat, "creat", -1, 0, -1},
    Shape{SYS_unlink, "unlink", -1, 0, -1},
    Shape{SYS_rename, "rename", -1, 1, -1},
    Shape{SYS_link, "link", -1, 1, -1},
    Shape{SYS_symlink, "symlink", -1, 1, -1},
    Shape{SYS_mkdir, "mkdir", -1, 0, -1},
    Shape{SYS_rmdir, "rmdir", -1, 0, -1},
    Shape{SYS_chmod, "chmod", -1, 0, -1},
    Shape{SYS_chown, "chown", -1, 0, -1},
#endif
};

std::string link_of(const std::string& path) {
  std::array<char, 4096> target{};
  const auto size = readlink(path.c_str(), target.data(), target.size());
  return size < 0 ? std::string() : std::string(target.data(), static_cast<std::size_t>(size));
}

/// Reads memory of another process. False: not all of it is there.
bool read_of(pid_t process, std::uint64_t address, void* into, std::size_t size) {
  const iovec here{.iov_base = into, .iov_len = size};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel gives it as a number
  const iovec there{.iov_base = reinterpret_cast<void*>(address), .iov_len = size};
  return process_vm_readv(process, &here, 1, &there, 1, 0) == static_cast<ssize_t>(size);
}

std::string text_at(pid_t process, std::uint64_t address) {
  constexpr std::size_t kPiece = 64;
  constexpr std::size_t kLongest = 4096;
  std::string text;
  while (text.size() < kLongest) {
    // Up to the end of 64 bytes that are aligned: what follows may be no memory.
    std::string piece(kPiece - (address + text.size()) % kPiece, '\0');
    if (!read_of(process, address + text.size(), piece.data(), piece.size())) break;
    const auto end = piece.find('\0');
    text += piece.substr(0, end);
    if (end != std::string::npos) break;
  }
  return text;
}

/// A request of NETLINK_ROUTE that is no question: of RTM_NEWLINK, RTM_DELLINK, RTM_GETLINK,
/// RTM_SETLINK and so on, all but the third.
bool changes_network(pid_t process, std::uint64_t data, std::uint64_t size) {
  nlmsghdr header{};
  return size >= sizeof(header) && read_of(process, data, &header, sizeof(header)) &&
         header.nlmsg_len == size && header.nlmsg_type >= RTM_BASE &&
         header.nlmsg_type <= RTM_MAX && (header.nlmsg_type - RTM_BASE) % 4 != 2;
}

class Killer {
 public:
  Killer(long nth, std::string_view directories, FILE* log, bool alone)
      : nth_(nth), log_(log), alone_(alone) {
    while (!directories.empty()) {
      const auto end = directories.find(':');
      directories_.emplace_back(directories.substr(0, end));
      directories.remove_prefix(end == std::string_view::npos ? directories.size() : end + 1);
    }
  }

  /// The exit status as wait(2) has it.
  int follow(pid_t first) {
    int status = 0;
    waitpid(first, &status, 0);  // stopped before its exec
    ptrace(PTRACE_SETOPTIONS, first, nullptr,
           PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
               PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC);
    known_.insert(first);
    go_on(first, 0);
    int ended = 0;
    pid_t at = 0;
    while ((at = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR) {
      if (at < 0) continue;
      if (WIFSTOPPED(status)) {
        stopped(at, status);
        continue;
      }
      known_.erase(at);
      if (at == first) ended = status;
    }
    return ended;
  }

 private:
  static void go_on(pid_t process, int signal) { ptrace(PTRACE_SYSCALL, process, nullptr, signal); }

  void stopped(pid_t process, int status) {
    const int signal = WSTOPSIG(status);
    const int event = status >> 16;
    if (signal == (SIGTRAP | 0x80)) {
      entered(process);
      go_on(process, 0);
    } else if (event == PTRACE_EVENT_EXEC && alone_ && std::exchange(had_exec_, true)) {
      known_.erase(process);
      ptrace(PTRACE_DETACH, process, nullptr, 0);
    } else if (event != 0 || known_.insert(process).second) {
      go_on(process, 0);  // an event, or the stop with which what was started begins
    } else {
      go_on(process, signal);
    }
  }

  void entered(pid_t process) {
    __ptrace_syscall_info call{};
    if (ptrace(PTRACE_GET_SYSCALL_INFO, process, sizeof(call), &call) <= 0 ||
        call.op != PTRACE_SYSCALL_INFO_ENTRY) {
      return;
    }
    const auto what = change(process, call);
    if (!what) return;
    std::fprintf(log_, "%s\n", what->c_str());
    std::fflush(log_);
    if (++seen_ == nth_) kill_all();
  }

  [[noreturn]] void kill_all() {
    for (const auto process : known_) kill(process, SIGKILL);
    int status = 0;
    pid_t at = 0;
    while ((at = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR) {
      if (at > 0 && WIFSTOPPED(status)) kill(at, SIGKILL);  // it has only just begun
    }
    std::raise(SIGKILL);
    std::abort();
  }

  /// What the call would change, where that counts.
  std::optional<std::string> change(pid_t process, const __ptrace_syscall_info& call) const {
    const auto& words = call.entry.args;
    const auto number = static_cast<long>(call.entry.nr);
    if (number == SYS_sendto && changes_network(process, words[1], words[2])) return "sendto";
    for (const auto& shape : kShapes) {
      if (shape.number != number) continue;
      constexpr std::uint64_t kMakes = O_CREAT | O_TRUNC;
      if (shape.flags >= 0 && (words[shape.flags] & kMakes) == 0) return std::nullopt;
      const auto path = path_of(process, shape, words);
      for (const auto& directory : directories_) {
        if (path.starts_with(directory + "/") || path == directory) {
          return std::string(shape.name) + " " + path;
        }
      }
      return std::nullopt;
    }
    return std::nullopt;
  }

  static std::string path_of(pid_t process, const Shape& shape, const std::uint64_t* words) {
    const auto below = "/proc/" + std::to_string(process);
    auto name = shape.path < 0 ? std::string() : text_at(process, words[shape.path]);
    if (name.starts_with('/')) return name;
    const auto fd = shape.directory < 0 ? kNoFd : words[shape.directory];
    const bool here = static_cast<int>(fd) == AT_FDCWD || fd == kNoFd;
    const auto directory = link_of(here ? below + "/cwd" : below + "/fd/" + std::to_string(fd));
    return name.empty() ? directory : directory + "/" + name;
  }

  long nth_;
  FILE* log_;
  bool alone_;
  bool had_exec_ = false;
  long seen_ = 0;
  std::vector<std::string> directories_;
  std::set<pid_t> known_;
};

}  // namespace

int main(int argc, char** argv) {
  const bool alone = argc > 1 && std::strcmp(argv[1], "--alone") == 0;
  char** words = argv + (alone ? 2 : 1);
  if (argc < (alone ? 7 : 6) || std::strcmp(words[3], "--") != 0) {
    std::fputs("usage: kill_before [--alone] NTH DIRECTORIES LOG -- PROGRAM [WORD...]\n", stderr);
    return 2;
  }
  FILE* log = std::fopen(words[2], "we");
  if (log == nullptr) {
    std::perror(words[2]);
    return 2;
  }
  const pid_t first = fork();
  if (first == 0) {
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    std::raise(SIGSTOP);
    execvp(words[4], words + 4);
    std::perror(words[4]);
    _exit(127);
  }
  const int status = Killer(std::atol(words[0]), words[1], log, alone).follow(first);
  if (WIFSIGNALED(status)) {
    std::raise(WTERMSIG(status));
    return 128 + WTERMSIG(status);
  }
  return WEXITSTATUS(status);
}
