#include "helpers/peers/probe_relay.hpp"

#include <array>
#include <csignal>
#include <mutex>
#include <string_view>
#include <variant>

#include <fcntl.h>
#include <fmt/format.h>
#include <net/if.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/unique_fd.hpp"
#include "host/process/child.hpp"
#include "host/process/helper_program.hpp"

namespace spark::helpers {
namespace {

using Words = std::vector<std::string>;

Result<Words> words_for(std::string_view task, const protocol::RailRoute& route,
                        std::chrono::milliseconds time) {
  const auto program = host::find_helper(host::Helper::kVerbsProbe);
  if (!program) return std::unexpected(program.error());
  return Words{*program,
               std::string(task),
               route.device,
               std::to_string(route.port),
               std::to_string(if_nametoindex(route.link.c_str())),
               route.local.text(),
               std::to_string(time.count())};
}

}  // namespace

std::chrono::seconds bench_time(const protocol::BenchAsk& ask) {
  return kBesideBench + std::chrono::seconds(ask.seconds);
}

Result<Words> proof_words(const protocol::RailRoute& route) {
  return words_for("peer", route, kProofTime);
}

Result<Words> bench_words(const protocol::RailRoute& route, const protocol::BenchAsk& ask) {
  if (ask.operation == protocol::PeerOperation::kVerify) return proof_words(route);
  auto words = words_for("bench", route, bench_time(ask));
  if (words) {
    words->emplace_back(protocol::kPeerOperations.at(static_cast<std::size_t>(ask.operation)));
    words->push_back(std::to_string(ask.seconds));
    words->push_back(std::to_string(ask.queue_pairs));
  }
  return words;
}

namespace {

using protocol::BenchEnd;
using protocol::PeerProgress;
using protocol::PeerReport;

constexpr std::size_t kMostOutlived = 4;

void set_non_blocking(int descriptor) {
  static_cast<void>(fcntl(descriptor, F_SETFL, O_NONBLOCK));  // cannot fail for an own pipe
}

/// Probes that SIGKILL did not end in time. Children are of the process, and so is this list.
class Outlived {
 public:
  void add(pid_t pid) {
    const std::scoped_lock lock(mutex_);
    pids_.push_back(pid);
  }

  /// Collects those that have ended since. How many have not.
  std::size_t collect() {
    const std::scoped_lock lock(mutex_);
    std::erase_if(pids_, [](pid_t pid) { return waitpid(pid, nullptr, WNOHANG) != 0; });
    return pids_.size();
  }

 private:
  std::mutex mutex_;
  std::vector<pid_t> pids_;
};

Outlived& outlived() {
  static Outlived all;
  return all;
}

/// Killed with all that it started, and collected, at the end.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    // A port that hangs may hold a probe in the kernel, where no signal ends it: that must not hold
    // the thread too, which has a deadline, and for which the end of the service waits.
    constexpr std::chrono::seconds kPatience{1};
    static_cast<void>(kill(-pid_, SIGKILL));  // it may be gone
    const auto handle = host::process_handle(pid_);
    if (handle.valid()) {
      static_cast<void>(
          wait_for(handle.get(), POLLIN, std::chrono::steady_clock::now() + kPatience));
    }
    // 0: it lives. The next probe that starts collects it.
    if (waitpid(pid_, nullptr, WNOHANG) == 0) outlived().add(pid_);
  }

 private:
  pid_t pid_;
};

}  // namespace

Result<ProbeReports> relay_probe(const std::vector<std::string>& words, PeerLines& peer,
                                 SteadyTime end, const RelayHooks& hooks) {
  // Each that hangs holds a process of this service, and one more would hang as they do.
  if (const auto hanging = outlived().collect(); hanging >= kMostOutlived) {
    return fail(ErrorCode::kBusy,
                fmt::format("{} earlier probes hang in the kernel of this end", hanging));
  }
  auto to_probe = host::make_pipe("make a pipe");
  if (!to_probe) return std::unexpected(to_probe.error());
  auto from_probe = host::make_pipe("make a pipe");
  if (!from_probe) return std::unexpected(from_probe.error());
  const auto spawned = host::spawn(
      {.words = words, .in = to_probe->read_end.get(), .out = from_probe->write_end.get()},
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
  const auto look_at = [&](BenchEnd end_of_line, const std::string& line) {
    const auto parsed = protocol::parse_peer_line(line);
    if (!parsed) return;
    if (const auto* report = std::get_if<PeerReport>(&*parsed)) {
      (end_of_line == BenchEnd::kOurs ? reports.ours : reports.theirs) = *report;
    } else if (const auto* progress = std::get_if<PeerProgress>(&*parsed);
               progress && hooks.on_progress) {
      hooks.on_progress(end_of_line, *progress);
    }
  };
  const auto from_peer = [&](const std::string& line) {
    look_at(BenchEnd::kTheirs, line);
    // Our probe judges it; it may have ended.
    static_cast<void>(write_line(to_probe->write_end.get(), line, end));
  };
  const auto from_ours = [&](const std::string& line) {
    look_at(BenchEnd::kOurs, line);
    return peer.write(line, end);
  };
  // The peer may have sent its first lines along with its answer.
  while (const auto line = peer.take()) from_peer(*line);
  bool probe_is_open = true;
  bool peer_is_open = !peer.is_forged();
  while (!reports.ours || !reports.theirs) {
    if (!peer_is_open) {
      reports.why = peer.is_forged() ? "a line of the peer was changed on its way"
                                     : "the peer closed the connection";
    }
    if (!probe_is_open && !reports.ours) reports.why = "this end's probe ended without a report";
    if (!reports.why.empty() && (!probe_is_open || !peer_is_open)) break;
    std::array<pollfd, 3> entries{{{.fd = probe_is_open ? out : -1, .events = POLLIN, .revents = 0},
                                   {.fd = peer.connection(), .events = POLLIN, .revents = 0},
                                   {.fd = hooks.stop, .events = POLLIN, .revents = 0}}};
    // Who sends all the time gets no longer than who sends nothing.
    if (std::chrono::steady_clock::now() >= end || poll_until(entries, end) <= 0) {
      reports.why = "the probes did not end in time";
      break;
    }
    if (entries[2].revents != 0) {
      reports.why = "the service of this end was stopped";
      break;
    }
    if (entries[0].revents != 0) {
      probe_is_open = probe.fill();
      while (const auto line = probe.take()) {
        if (auto sent = from_ours(*line); !sent) peer_is_open = false;
      }
    }
    if (entries[1].revents != 0) {
      peer_is_open = peer.fill() && peer_is_open;
      while (const auto line = peer.take()) from_peer(*line);
      peer_is_open = peer_is_open && !peer.is_forged();
    }
  }
  return reports;
}

}  // namespace spark::helpers
