#include "helpers/peers/probe_relay.hpp"

#include <array>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/unique_fd.hpp"
#include "fake/temporary_folder.hpp"
#include "unit/helpers/peers/connection.hpp"

namespace spark::helpers {
namespace {

using protocol::PeerReport;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Steady = std::chrono::steady_clock;

/// The line with its newline.
std::string report_line(const std::string& state) {
  return protocol::peer_line_text(PeerReport{.state = state});
}

/// A shell script stands for the probe of this end, and the test for the peer.
class ProbeRelayTest : public testing::Test {
 protected:
  /// A command of a shell that prints such a line.
  static std::string print(const std::string& line) { return "printf '%s' '" + line + "'\n"; }

  Result<ProbeReports> relay(const std::string& script, Steady::duration time = seconds(30),
                             const RelayHooks& hooks = {}) {
    PeerLines peer(connection_.own.get(), protocol::kLongestPeerLine);
    return relay_probe({"/bin/sh", "-c", script}, peer, Steady::now() + time, hooks);
  }

  void send(const std::string& text) const {
    ASSERT_EQ(write(connection_.peer.get(), text.data(), text.size()),
              static_cast<ssize_t>(text.size()));
  }

  /// What came to the peer, once this end has closed.
  std::string received() {
    connection_.own.reset();
    std::string text;
    std::array<char, 4096> bytes{};
    ssize_t got = 0;
    while ((got = read(connection_.peer.get(), bytes.data(), bytes.size())) > 0) {
      text.append(bytes.data(), static_cast<std::size_t>(got));
    }
    return text;
  }

  test::Connection connection_;
  test::TemporaryFolder folder_;
};

TEST_F(ProbeRelayTest, LinesGoBothWaysUnread) {
  const auto seen = folder_.path() / "seen";
  send("no JSON at all\n" + report_line("theirs"));
  const auto reports =
      relay("echo 'no JSON either'\nread -r a\nread -r b\nprintf '%s\\n%s\\n' \"$a\" \"$b\" >" +
            seen.string() + "\n" + print(report_line("ours")));
  ASSERT_TRUE(reports) << reports.error().what;
  EXPECT_EQ(reports->why, "");
  ASSERT_TRUE(reports->ours && reports->theirs);
  EXPECT_EQ(reports->ours->state, "ours");
  EXPECT_EQ(reports->theirs->state, "theirs");
  EXPECT_EQ(received(), "no JSON either\n" + report_line("ours"));
  std::ifstream file(seen);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}),
            "no JSON at all\n" + report_line("theirs"));
}

TEST_F(ProbeRelayTest, ALineThatCameWithTheAnswerOfThePeerIsPassedOnToo) {
  send("{\"refused\":\"\"}\n" + report_line("theirs"));
  PeerLines peer(connection_.own.get(), protocol::kLongestPeerLine);
  ASSERT_TRUE(peer.await(Steady::now() + seconds(5)));
  const auto reports = relay_probe({"/bin/sh", "-c", "read -r line\n" + print(report_line("ours"))},
                                   peer, Steady::now() + seconds(30), {});
  ASSERT_TRUE(reports) << reports.error().what;
  EXPECT_TRUE(reports->ours && reports->theirs) << reports->why;
}

TEST_F(ProbeRelayTest, ProgressIsReportedAsItComes) {
  using protocol::BenchEnd;
  std::vector<std::pair<BenchEnd, std::uint64_t>> bytes;
  send(protocol::peer_line_text(protocol::PeerProgress{.bytes = 3}) + report_line("theirs"));
  const auto reports =
      relay(print(protocol::peer_line_text(protocol::PeerProgress{.bytes = 1})) +
                print(protocol::peer_line_text(protocol::PeerProgress{.bytes = 2})) +
                print(report_line("ours")),
            seconds(30), {.on_progress = [&](BenchEnd end, const auto& progress) {
              bytes.emplace_back(end, progress.bytes);
            }});
  ASSERT_TRUE(reports) << reports.error().what;
  EXPECT_THAT(bytes, testing::UnorderedElementsAre(std::pair(BenchEnd::kOurs, 1),
                                                   std::pair(BenchEnd::kOurs, 2),
                                                   std::pair(BenchEnd::kTheirs, 3)));
}

TEST_F(ProbeRelayTest, ARelayThatIsStoppedEndsAtOnce) {
  const UniqueFd stop(eventfd(1, EFD_CLOEXEC));
  const auto begin = Steady::now();
  const auto reports = relay("sleep 60", seconds(60), {.on_progress = {}, .stop = stop.get()});
  ASSERT_TRUE(reports) << reports.error().what;
  EXPECT_EQ(reports->why, "the service of this end was stopped");
  EXPECT_LT(Steady::now() - begin, seconds(20));
}

TEST_F(ProbeRelayTest, AProbeThatEndsWithoutAReportIsSaid) {
  const auto begin = Steady::now();
  const auto reports = relay("echo half; exit 1");
  ASSERT_TRUE(reports) << reports.error().what;
  EXPECT_FALSE(reports->ours);
  EXPECT_EQ(reports->why, "this end's probe ended without a report");
  EXPECT_LT(Steady::now() - begin, seconds(10)) << "nothing is waited for";
}

TEST_F(ProbeRelayTest, AProbeThatEndedIsNoReasonNotToHearThePeer) {
  std::jthread peer([this] {
    std::this_thread::sleep_for(milliseconds(200));
    send(report_line("theirs"));
  });
  const auto reports = relay(print(report_line("ours")));
  ASSERT_TRUE(reports) << reports.error().what;
  EXPECT_TRUE(reports->ours && reports->theirs) << reports->why;
}

TEST_F(ProbeRelayTest, APeerThatClosesIsSaid) {
  connection_.peer.reset();
  const auto begin = Steady::now();
  const auto reports = relay("read -r line; sleep 60");
  ASSERT_TRUE(reports) << reports.error().what;
  EXPECT_EQ(reports->why, "the peer closed the connection");
  EXPECT_LT(Steady::now() - begin, seconds(10)) << "the probe is not waited for";
}

TEST_F(ProbeRelayTest, APeerThatClosesAfterItsReportHasReported) {
  send(report_line("theirs"));
  connection_.peer.reset();
  const auto reports = relay("sleep 0.2; exit 1");
  ASSERT_TRUE(reports) << reports.error().what;
  EXPECT_TRUE(reports->theirs);
  EXPECT_FALSE(reports->ours);
  EXPECT_NE(reports->why, "");
}

TEST_F(ProbeRelayTest, ALineOfThePeerThatIsTooLongIsTheEnd) {
  std::jthread peer([this] { send(std::string(3 * protocol::kLongestPeerLine, 'x')); });
  const auto begin = Steady::now();
  const auto reports = relay("sleep 60");
  ASSERT_TRUE(reports) << reports.error().what;
  EXPECT_NE(reports->why, "");
  EXPECT_LT(Steady::now() - begin, seconds(10));
}

TEST_F(ProbeRelayTest, AProbeThatHangsIsKilledAtTheDeadlineWithWhatItStarted) {
  const auto alive = folder_.path() / "alive";
  ASSERT_EQ(mkfifo(alive.c_str(), 0600), 0);
  const UniqueFd watched(open(alive.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  const auto begin = Steady::now();
  const auto reports = relay(
      "exec 3>" + alive.string() + "; trap '' TERM; sleep 60 & wait; sleep 60", milliseconds(300));
  const auto took = Steady::now() - begin;
  ASSERT_TRUE(reports) << reports.error().what;
  EXPECT_EQ(reports->why, "the probes did not end in time");
  EXPECT_GE(took, milliseconds(300));
  EXPECT_LT(took, seconds(10));
  // The last writer is gone when a read finds the end.
  char byte = 0;
  ssize_t got = -1;
  for (int i = 0; i < 100 && got != 0; ++i) {
    got = read(watched.get(), &byte, 1);
    if (got != 0) std::this_thread::sleep_for(milliseconds(50));
  }
  EXPECT_EQ(got, 0) << "somebody still lives";
}

TEST_F(ProbeRelayTest, AProbeThatReadsNothingKeepsItNoLongerThanTheDeadline) {
  std::jthread peer([this](const std::stop_token& stop) {
    const std::string line = std::string(1000, 'x') + "\n";
    while (!stop.stop_requested() && ::send(connection_.peer.get(), line.data(), line.size(),
                                            MSG_NOSIGNAL | MSG_DONTWAIT) != 0) {
      std::this_thread::sleep_for(milliseconds(1));
    }
  });
  const auto begin = Steady::now();
  const auto reports = relay("sleep 60", milliseconds(500));
  ASSERT_TRUE(reports) << reports.error().what;
  EXPECT_EQ(reports->why, "the probes did not end in time");
  EXPECT_LT(Steady::now() - begin, seconds(10));
}

/// A process of another parent that traces a child of ours: until it ends, that child cannot be
/// collected, as one that hangs in the kernel.
class Tracer {
 public:
  explicit Tracer(pid_t traced) : pid_(fork()) {
    if (pid_ != 0) return;
    if (ptrace(PTRACE_SEIZE, traced, nullptr, nullptr) != 0) _exit(EXIT_FAILURE);
    raise(SIGSTOP);
    _exit(EXIT_SUCCESS);
  }
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;
  ~Tracer() { end(); }

  /// Waits until it traces. False: it may not.
  [[nodiscard]] bool traces() const {
    int status = 0;
    return waitpid(pid_, &status, WUNTRACED) == pid_ && WIFSTOPPED(status);
  }
  void end() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  pid_t pid_;
};

TEST_F(ProbeRelayTest, AProbeThatNoSignalEndsHoldsTheThreadForASecondAtMost) {
  std::optional<Tracer> tracer;
  pid_t probe = 0;
  bool traces = false;
  // The peer learns the number of the probe, and closes when it is traced.
  std::jthread peer([&] {
    std::array<char, 64> bytes{};
    const auto got = read(connection_.peer.get(), bytes.data(), bytes.size() - 1);
    probe = got > 0 ? static_cast<pid_t>(std::atoi(bytes.data())) : 0;
    if (probe > 0) traces = tracer.emplace(probe).traces();
    shutdown(connection_.peer.get(), SHUT_RDWR);
  });
  const auto begin = Steady::now();
  const auto reports = relay("echo $$; sleep 60; sleep 60");
  const auto took = Steady::now() - begin;
  peer.join();
  ASSERT_GT(probe, 0);
  if (!traces) GTEST_SKIP() << "this machine lets no process trace another";
  ASSERT_TRUE(reports) << reports.error().what;
  EXPECT_EQ(reports->why, "the peer closed the connection");
  EXPECT_LT(took, seconds(10));
  EXPECT_EQ(waitpid(probe, nullptr, WNOHANG), 0) << "it is there, and not ours to collect";
  tracer->end();
  static_cast<void>(relay("true"));
  EXPECT_EQ(waitpid(probe, nullptr, WNOHANG), -1) << "the next one collected it";
}

TEST_F(ProbeRelayTest, AProgramThatIsNotThereIsAnError) {
  PeerLines peer(connection_.own.get(), protocol::kLongestPeerLine);
  const auto reports = relay_probe({"/nowhere/probe"}, peer, Steady::now() + seconds(5), {});
  ASSERT_FALSE(reports);
  EXPECT_THAT(reports.error().what, testing::HasSubstr("start '/nowhere/probe'"));
}

TEST_F(ProbeRelayTest, LeavesNoDescriptorOpen) {
  const auto count = [] {
    int open_ones = 0;
    for (int fd = 0; fd < 1024; ++fd) open_ones += fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
    return open_ones;
  };
  const auto before = count();
  send(report_line("theirs"));
  ASSERT_TRUE(relay(print(report_line("ours"))));
  EXPECT_EQ(count(), before);
}

}  // namespace
}  // namespace spark::helpers
