#include "helpers/peers/probe_relay.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>
#include <variant>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/unique_fd.hpp"
#include "host/process/spawn.hpp"

namespace spark::helpers {
namespace {

using protocol::PeerProgress;
using protocol::PeerReport;

struct Pipe {
  UniqueFd read_end;
  UniqueFd write_end;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return fail_errno(errno, "make a pipe");
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

void set_non_blocking(int descriptor) {
  static_cast<void>(fcntl(descriptor, F_SETFL, O_NONBLOCK));  // cannot fail for an own pipe
}

/// Killed with all that it started, and collected, at the end.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    static_cast<void>(kill(-pid_, SIGKILL));  // it may be gone
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
  }

 private:
  pid_t pid_;
};

}  // namespace

Result<ProbeReports> relay_probe(const std::vector<std::string>& words, int connection,
                                 LineReader& reader, SteadyTime end,
                                 const OnProgress& on_progress) {
  auto to_probe = make_pipe();
  if (!to_probe) return std::unexpected(to_probe.error());
  auto from_probe = make_pipe();
  if (!from_probe) return std::unexpected(from_probe.error());
  const auto spawned = host::spawn({.words = words,
                                    .environment = {},
                                    .in = to_probe->read_end.get(),
                                    .out = from_probe->write_end.get()},
                                   fmt::format("start '{}'", words.front()));
  if (!spawned) return std::unexpected(spawned.error());
  const Child child(*spawned);
  to_probe->read_end.reset();
  from_probe->write_end.reset();
  const int out = from_probe->read_end.get();
  set_non_blocking(out);
  set_non_blocking(to_probe->write_end.get());
  LineReader probe(out, protocol::kLongestPeerLine);

  ProbeReports reports;
  const auto from_peer = [&](const std::string& line) {
    const auto parsed = protocol::parse_peer_line(line);
    if (parsed && std::holds_alternative<PeerReport>(*parsed)) {
      reports.theirs = std::get<PeerReport>(*parsed);
    }
    // Our probe judges it; it may have ended.
    static_cast<void>(write_line(to_probe->write_end.get(), line, end));
  };
  const auto from_ours = [&](const std::string& line) {
    const auto parsed = protocol::parse_peer_line(line);
    if (parsed && std::holds_alternative<PeerReport>(*parsed)) {
      reports.ours = std::get<PeerReport>(*parsed);
    } else if (parsed && on_progress && std::holds_alternative<PeerProgress>(*parsed)) {
      on_progress(std::get<PeerProgress>(*parsed));
    }
    return write_line(connection, line, end);
  };
  // The peer may have sent its first lines along with its answer.
  while (const auto line = reader.take()) from_peer(*line);
  bool probe_is_open = true;
  bool peer_is_open = true;
  while (!reports.ours || !reports.theirs) {
    if (!peer_is_open) reports.why = "the peer closed the connection";
    if (!probe_is_open && !reports.ours) reports.why = "this end's probe ended without a report";
    if (!reports.why.empty() && (!probe_is_open || !peer_is_open)) break;
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    std::array<pollfd, 2> entries{{{.fd = probe_is_open ? out : -1, .events = POLLIN, .revents = 0},
                                   {.fd = connection, .events = POLLIN, .revents = 0}}};
    const int ready = left.count() <= 0
                          ? 0
                          : poll(entries.data(), entries.size(), static_cast<int>(left.count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) {
      reports.why = "it did not end in time";
      break;
    }
    if (entries[0].revents != 0) {
      probe_is_open = probe.fill();
      while (const auto line = probe.take()) {
        if (auto sent = from_ours(*line); !sent) peer_is_open = false;
      }
    }
    if (entries[1].revents != 0) {
      peer_is_open = reader.fill() && peer_is_open;
      while (const auto line = reader.take()) from_peer(*line);
    }
  }
  return reports;
}

}  // namespace spark::helpers
