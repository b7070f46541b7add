#include "host/process/child.hpp"

#include <array>
#include <cerrno>
#include <csignal>

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/wait.hpp"
#include "host/process/spawn.hpp"

namespace spark::host {
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
