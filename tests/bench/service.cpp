#include "bench/service.hpp"

#include <array>
#include <chrono>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/socket_address.hpp"
#include "base/unique_fd.hpp"

namespace spark::bench {
namespace {

/// In /run, which is this process's own; networkd, which gives up root, has to reach it.
constexpr const char* kReadySocket = "/run/bench-ready";

UniqueFd open_ready_socket() {
  unlink(kReadySocket);
  UniqueFd fd(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto address = UnixAddress::from(kReadySocket);
  const timeval longest{.tv_sec = 10, .tv_usec = 0};
  constexpr mode_t kForAll = 0666;
  if (!address || bind(fd.get(), address->get(), address->size()) != 0 ||
      setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest) != 0 ||
      chmod(kReadySocket, kForAll) != 0) {
    give_up(fmt::format("cannot listen on {}", kReadySocket));
  }
  return fd;
}

void wait_for_ready(const UniqueFd& socket, const std::string& program) {
  std::array<char, 1024> text{};
  while (true) {
    const auto got = recv(socket.get(), text.data(), text.size(), 0);
    if (got <= 0) {
      give_up(fmt::format("{} is never ready", program));
    }
    if (std::string_view(text.data(), static_cast<std::size_t>(got)).contains("READY=1")) {
      return;
    }
  }
}

double seconds_of(const timespec& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// The number behind "NAME:" in a file of /proc.
double number_in(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  for (std::string word; file >> word;) {
    if (double number = 0; word == name + ":" && file >> number) {
      return number;
    }
  }
  give_up(fmt::format("no {} in {}", name, path));
}

}  // namespace

Service::Service(const Argv& argv, const std::vector<std::string>& environment) {
  const auto socket = open_ready_socket();
  auto variables = environment;
  variables.push_back(fmt::format("NOTIFY_SOCKET={}", kReadySocket));
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  process_ = spawn(argv, variables);
  wait_for_ready(socket, argv[0]);
  seconds_to_ready_ = std::chrono::duration<double>(Clock::now() - start).count();
}

Service::~Service() {
  signal(SIGTERM);
  waitpid(process_, nullptr, 0);
}

void Service::signal(int number) const { kill(process_, number); }

double Service::cpu_seconds() const {
  clockid_t clock = 0;
  timespec own{};
  if (clock_getcpuclockid(process_, &clock) != 0 || clock_gettime(clock, &own) != 0) {
    give_up("cannot read the CPU time of a process");
  }
  // Behind the name, which ends in ')': state, ten numbers, utime, stime, cutime, cstime.
  std::ifstream file(directory() + "/stat");
  std::string line;
  std::getline(file, line);
  std::istringstream fields(line.substr(line.rfind(')') + 1));
  constexpr int kBefore = 13;
  std::string skipped;
  for (int i = 0; i < kBefore; ++i) {
    fields >> skipped;
  }
  double user = 0;
  double system = 0;
  fields >> user >> system;
  return seconds_of(own) + (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double Service::sleeps() const {
  double sum = 0;
  for (const auto& thread : std::filesystem::directory_iterator(directory() + "/task")) {
    sum += number_in(thread.path() / "status", "voluntary_ctxt_switches");
  }
  return sum;
}

double Service::private_bytes() const {
  constexpr double kUnit = 1024;
  return written_bytes() + kUnit * number_in(directory() + "/smaps_rollup", "Private_Clean");
}

double Service::written_bytes() const {
  constexpr double kUnit = 1024;
  return kUnit * number_in(directory() + "/smaps_rollup", "Private_Dirty");
}

std::string Service::directory() const { return fmt::format("/proc/{}", process_); }

}  // namespace spark::bench
