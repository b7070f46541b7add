#include "process/command.hpp"

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ostream>
#include <utility>

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace spark::test {
namespace {

constexpr std::chrono::milliseconds kDeadline = std::chrono::seconds(30);
constexpr unsigned kNobodysId = 65534;

/// A file in memory: unlike a pipe it takes all that is written, no matter who reads when.
UniqueFd memory_file(const std::string& text = {}) {
  UniqueFd file(memfd_create("stream", MFD_CLOEXEC));
  const auto written = write(file.get(), text.data(), text.size());
  return written == static_cast<ssize_t>(text.size()) && lseek(file.get(), 0, SEEK_SET) == 0
             ? std::move(file)
             : UniqueFd();
}

std::string contents(const UniqueFd& file) {
  std::string text;
  std::array<char, 16384> buffer{};
  for (ssize_t got = 0; (got = pread(file.get(), buffer.data(), buffer.size(),
                                     static_cast<off_t>(text.size()))) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return text;
}

[[noreturn]] void fail_to_start(const char* what) {
  std::perror(what);
  _exit(127);
}

/// The program by descriptor: nobody may not walk every path that leads to it.
UniqueFd open_program(const std::string& program) {
  return UniqueFd(open(program.c_str(), O_PATH | O_CLOEXEC));
}

[[noreturn]] void become(const Command& command, std::vector<char*> argv) {
  // A test that dies takes what it started along.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (command.network >= 0 && setns(command.network, CLONE_NEWNET) != 0) {
    fail_to_start("setns");
  }
  if (command.pending_signal != 0) {
    sigset_t held{};
    sigemptyset(&held);
    sigaddset(&held, command.pending_signal);
    sigprocmask(SIG_BLOCK, &held, nullptr);
    if (command.ignored_signal) {
      signal(command.pending_signal, SIG_IGN);  // first: this forgets those that have come
    }
    raise(command.pending_signal);
  }
  const auto& name = command.hostname;
  if (!name.empty() && (unshare(CLONE_NEWUTS) != 0 || sethostname(name.data(), name.size()) != 0)) {
    fail_to_start("set the host name");
  }
  for (const auto& variable : command.environment) {
    putenv(const_cast<char*>(variable.c_str()));
  }
  if (!command.output.empty()) {
    const UniqueFd file(open(command.output.c_str(), O_WRONLY | O_CLOEXEC));
    if (dup2(file.get(), STDOUT_FILENO) < 0) {
      fail_to_start("open the output");
    }
  }
  if (command.no_streams) {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
      close(stream);
    }
  }
  if (!command.as_nobody) {
    execvp(argv[0], argv.data());
    fail_to_start(argv[0]);
  }
  const auto program = open_program(argv[0]);
  if (setgroups(0, nullptr) != 0 || setgid(kNobodysId) != 0 || setuid(kNobodysId) != 0) {
    fail_to_start("become nobody");
  }
  fexecve(program.get(), argv.data(), environ);
  fail_to_start(argv[0]);
}

int wait_for_end(pid_t process) {
  const UniqueFd handle(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
  pollfd ended{.fd = handle.get(), .events = POLLIN, .revents = 0};
  if (poll(&ended, 1, static_cast<int>(kDeadline.count())) != 1) {
    kill(process, SIGKILL);
  }
  int status = 0;
  waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

Running::Running(const Command& command)
    : in_(memory_file(command.input)), out_(memory_file()), err_(memory_file()) {
  std::vector<char*> argv;
  for (const auto& argument : command.argv) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  process_ = fork();
  if (process_ == 0) {
    dup2(in_.get(), STDIN_FILENO);
    dup2(out_.get(), STDOUT_FILENO);
    dup2(err_.get(), STDERR_FILENO);
    become(command, argv);
  }
}

Running::~Running() {
  if (process_ > 0) {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
}

void Running::signal(int number) const {
  if (process_ > 0) {
    kill(process_, number);
  }
}

std::string Running::output() const { return contents(out_); }

Outcome Running::wait() {
  const auto process = std::exchange(process_, -1);
  const int code = process < 0 ? -1 : wait_for_end(process);
  return {code, contents(out_), contents(err_)};
}

Outcome run(const Command& command) { return Running(command).wait(); }

std::ostream& operator<<(std::ostream& stream, const Outcome& outcome) {
  return stream << "exit code " << outcome.code << "\n" << outcome.out << outcome.err;
}

}  // namespace spark::test
