#include "bench/process.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace spark::bench {
namespace {

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

/// Opens nothing itself: every spawn does.
posix_spawn_file_actions_t quiet_stdout() {
  posix_spawn_file_actions_t actions{};
  if (posix_spawn_file_actions_init(&actions) != 0 ||
      posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) != 0) {
    give_up("cannot prepare a spawn");
  }
  return actions;
}

/// As execve(2) takes them, which does not write to them.
std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> pointers(words.size());
  std::ranges::transform(words, pointers.begin(),
                         [](const auto& word) { return const_cast<char*>(word.c_str()); });
  return pointers;
}

}  // namespace

Cost operator+(const Cost& first, const Cost& second) {
  return {.wall_seconds = first.wall_seconds + second.wall_seconds,
          .cpu_seconds = first.cpu_seconds + second.cpu_seconds,
          .peak_bytes = std::max(first.peak_bytes, second.peak_bytes)};
}

pid_t spawn(const Argv& argv, const std::vector<std::string>& environment) {
  static const auto kActions = quiet_stdout();
  auto words = pointers_to(argv);
  auto variables = pointers_to(environment);
  for (char** own = environ; *own != nullptr; ++own) {
    variables.push_back(*own);
  }
  words.push_back(nullptr);
  variables.push_back(nullptr);
  pid_t process = 0;
  // glibc spawns by CLONE_VFORK: nothing of this process is copied.
  if (posix_spawn(&process, words[0], &kActions, nullptr, words.data(), variables.data()) != 0) {
    give_up(fmt::format("cannot run {}", argv[0]));
  }
  return process;
}

Cost run(const Argv& argv, int expected) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const pid_t process = spawn(argv);
  int status = 0;
  rusage usage{};
  if (wait4(process, &status, 0, &usage) != process) {
    give_up(fmt::format("cannot wait for {}", argv[0]));
  }
  const std::chrono::duration<double> wall = Clock::now() - start;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != expected) {
    give_up(fmt::format("failed (wait status {:#x}): {}", status, fmt::join(argv, " ")));
  }
  return {.wall_seconds = wall.count(),
          .cpu_seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime),
          .peak_bytes = static_cast<double>(usage.ru_maxrss) * 1024};
}

void give_up(const std::string& why) {
  fmt::print(stderr, "bench: {}\n", why);
  std::exit(EXIT_FAILURE);
}

}  // namespace spark::bench
