// spark-web beside the daemon: it shows what the daemon knows, for as long as the daemon lives, and
// what strangers do to it stays its own.

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include "base/text.hpp"
#include "host/linux/tcp_sockets.hpp"
#include "process/daemon_world.hpp"

namespace spark::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr std::chrono::seconds kLongest{30};
/// In place of what a process says of how long it counts.
constexpr const char* kLongPast = "0000000000000001\n";

class Web : public Daemon {
 protected:
  Web() { spark_.ip("link set lo up"); }

  /// What anybody could send something to in this network, where only our programs run.
  [[nodiscard]] std::vector<std::string> listening() const {
    std::vector<std::string> found;
    for (const std::string table : {"tcp", "tcp6", "udp", "udp6", "raw", "raw6"}) {
      std::ifstream file(fmt::format("/proc/{}/net/{}", daemon_->process(), table));
      // All have the columns of the first (proc_pid_net(5)).
      const auto sockets = host::parse_tcp_table(std::string(std::istreambuf_iterator(file), {}));
      EXPECT_TRUE(file && sockets) << table;
      if (!sockets) continue;
      for (const auto& socket : *sockets) {
        // Of those without connections a bound one is enough.
        if (!table.starts_with("tcp") || socket.state == host::TcpState::kListen) {
          found.push_back(
              fmt::format("{} {}:{}", table, socket.local_ip.text(), socket.local_port));
        }
      }
    }
    return found;
  }

  /// Soon at the latest.
  void until(const std::function<bool()>& holds) const {
    EXPECT_TRUE(spark::test::wait_until(holds, kLongest)) << get("/readyz") << web_->output();
  }

  [[nodiscard]] std::string doctor() const { return spark_.reconcile({"doctor", "-v"}).out; }
};

TEST_F(Web, ShowsHowTheNodeIs) {
  start();
  serve();
  spark_.ip("link set enp1s0f0np0 mtu 1500");
  wait_until([&] { return has_mtu(9000); });
  until([&] { return get("/").contains("it had drifted"); });
  EXPECT_THAT(get("/metrics"), HasSubstr("spark_reconcile_corrections_total"));
  EXPECT_THAT(get("/healthz"), HasSubstr("200 OK"));
  EXPECT_THAT(get("/"), HasSubstr("enp1s0f0np0"));
  EXPECT_THAT(get("/readyz"), AllOf(HasSubstr("503"), HasSubstr("unknown: ")));
  EXPECT_THAT(get("/status.json"), HasSubstr("spark-reconcile/daemon-status/v1"));
  EXPECT_THAT(doctor(), HasSubstr("served on 127.0.0.1:9842"));
  EXPECT_THAT(spark_.reconcile({"status"}).out, HasSubstr("daemon: unknown"));
  daemon_->signal(SIGTERM);
  EXPECT_THAT(daemon_->wait(), ExitsWith(0));
  EXPECT_THAT(spark_.reconcile({"status"}).out, Not(HasSubstr("daemon:")));
}

TEST_F(Web, TheDaemonListensNowhereAndSparkWebOnLoopbackAlone) {
  start();
  EXPECT_THAT(listening(), IsEmpty());
  serve();
  EXPECT_THAT(listening(), ElementsAre("tcp 127.0.0.1:9842"));
}

TEST_F(Web, ShowsNothingOfADaemonThatStoppedOrWasKilled) {
  for (const int signal : {SIGTERM, SIGKILL}) {
    start();
    if (!web_) serve();
    until([&] { return get("/healthz").contains("200 OK"); });
    daemon_->signal(signal);
    static_cast<void>(daemon_->wait());
    until([&] { return get("/healthz").contains("503"); });
    for (const auto* path : {"/", "/readyz", "/metrics", "/status.json"}) {
      EXPECT_THAT(get(path), AllOf(HasSubstr("HTTP/1.1 503"), HasSubstr("the daemon does not run"),
                                   Not(HasSubstr("enp1s0f0np0"))))
          << path << " after " << signal;
    }
  }
}

TEST_F(Web, OfADaemonThatHangsEveryScreenSaysSo) {
  start();
  serve();
  until([&] { return get("/healthz").contains("200 OK"); });
  const auto status = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "status");
    return spark_.reconcile(words).out;
  };
  const std::string hangs = "the daemon hangs, or was killed: it has said nothing since ";
  const auto says = AllOf(HasSubstr(hangs), HasSubstr("sudo systemctl restart spark-reconcile"));
  EXPECT_THAT(status({}), Not(HasSubstr(hangs)));
  daemon_->signal(SIGSTOP);
  EXPECT_THAT(spark_.read(protocol::kDaemonAliveFile), SizeIs(17))
      << "milliseconds since the boot, written in place";
  spark_.write(protocol::kDaemonAliveFile, kLongPast);
  EXPECT_THAT(status({}), AllOf(HasSubstr("daemon: unknown: " + hangs), says));
  EXPECT_THAT(status({"--here"}), AllOf(HasSubstr("daemon: unknown: " + hangs), says));
  EXPECT_THAT(status({"--brief"}), AllOf(HasSubstr("0 of 1 ready"), says));
  const auto json = spark_.json({"status"}).at("daemon");
  EXPECT_EQ(json.at("verdict"), "unknown");
  EXPECT_THAT(json.at("why").get<std::string>(), says);
  EXPECT_THAT(spark_.reconcile({"events"}).err, says);
  const auto waited = spark_.reconcile({"wait", "--timeout", "10ms"});
  EXPECT_THAT(waited, ExitsWith(3));
  EXPECT_THAT(waited.err, AllOf(HasSubstr("unknown: " + hangs), says));
  EXPECT_THAT(doctor(), AllOf(HasSubstr("✗ daemon"), says, Not(HasSubstr("✓ daemon"))));
  for (const auto* path : {"/", "/still", "/readyz", "/metrics", "/status.json", "/healthz"}) {
    EXPECT_THAT(get(path), AllOf(HasSubstr("HTTP/1.1 503"), says, Not(HasSubstr("enp1s0f0np0"))))
        << path;
  }
  // What `gate` finds, it finds by itself.
  EXPECT_THAT(spark_.reconcile({"gate"}).out, Not(HasSubstr(hangs)));

  daemon_->signal(SIGCONT);
  until([&] { return get("/healthz").contains("200 OK"); });
  EXPECT_THAT(status({}), Not(HasSubstr(hangs)));
  daemon_->signal(SIGTERM);
  EXPECT_THAT(daemon_->wait(), ExitsWith(0));
  EXPECT_EQ(spark_.read(protocol::kDaemonAliveFile), "") << "it went with what it says of";
}

// One that cannot replace what another process wrote does not say that it counts.
TEST_F(Web, WhatAKilledDaemonLeftDoesNotCountForTheNextOne) {
  start();
  serve();
  daemon_->signal(SIGKILL);
  static_cast<void>(daemon_->wait());
  spark_.write(protocol::kDaemonAliveFile, kLongPast);
  const std::string status = "/run/spark-reconcile/status.json";
  std::filesystem::remove(spark_.host_path(status));
  std::filesystem::create_directories(spark_.host_path(status + "/in/the/way"));
  start();
  EXPECT_EQ(spark_.read(protocol::kDaemonAliveFile), kLongPast);
  until([&] { return get("/readyz").contains("the daemon hangs, or was killed"); });
  std::filesystem::remove_all(spark_.host_path(status));
  daemon_->signal(SIGHUP);
  until([&] { return get("/healthz").contains("200 OK"); });
  EXPECT_NE(spark_.read(protocol::kDaemonAliveFile), kLongPast);
}

TEST_F(Web, OfSparkWebThatHangsDoctorSaysSo) {
  start();
  serve();
  until([&] { return doctor().contains("served on 127.0.0.1:9842"); });
  until([&] { return !spark_.read(protocol::kWebAliveFile).empty(); });
  web_->signal(SIGSTOP);
  spark_.write(protocol::kWebAliveFile, kLongPast);
  EXPECT_THAT(doctor(),
              AllOf(HasSubstr("! page"),
                    HasSubstr("spark-reconcile-web.service hangs, or was killed: it has said "
                              "nothing since "),
                    HasSubstr("`systemctl restart spark-reconcile-web.service`")));
  web_->signal(SIGCONT);
  until([&] { return doctor().contains("served on 127.0.0.1:9842"); });
}

TEST_F(Web, ShowsNothingOfAnotherBoot) {
  start();
  serve();
  const auto* path = protocol::kNodeStateFile;
  auto state = nlohmann::json::parse(spark_.read(path));
  daemon_->signal(SIGSTOP);  // else it replaces the file
  state["boot_id"] = "00000000-0000-4000-8000-000000000000";
  spark_.write(path, state.dump());
  until([&] { return get("/readyz").contains("has said nothing in this boot"); });
  spark_.write(path, "{");
  until([&] { return get("/readyz").contains("is not understood"); });
  spark_.write(path, "");
  std::filesystem::remove(spark_.host_path(path));
  std::filesystem::create_symlink("/etc/hostname", spark_.host_path(path));
  until([&] { return get("/readyz").contains("Too many levels of symbolic links"); });
  daemon_->signal(SIGCONT);
}

TEST_F(Web, TriesAgainWhereThePortIsTakenAndDoctorNamesIt) {
  start();
  {
    UniqueFd taken;
    in_network(spark_.network(), [&] {
      taken = UniqueFd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      const SocketAddress address(*IpAddress::parse("127.0.0.1"), 9842);
      ASSERT_EQ(bind(taken.get(), address.get(), address.size()), 0);
      ASSERT_EQ(listen(taken.get(), 1), 0);
    });
    serve();
    EXPECT_THAT(doctor(), AllOf(HasSubstr("! page"), HasSubstr("Address already in use"),
                                HasSubstr("ss -ltnp")));
    EXPECT_EQ(spark_.read(protocol::kWebAliveFile), "") << "nobody is served";
  }
  until([&] { return get("/healthz").contains("200 OK"); });
  until([&] { return doctor().contains("served on 127.0.0.1:9842"); });
  // systemd removes the report with the service.
  web_.reset();
  std::filesystem::remove(spark_.host_path(protocol::kWebReportFile));
  EXPECT_THAT(doctor(), AllOf(HasSubstr("! page"), HasSubstr("systemctl start")));
}

// D6: a spark-web that was taken over had root read, and show, what itself may not.
TEST_F(Web, ALinkInPlaceOfItsReportShowsNothingOfAnotherFile) {
  start();
  const auto report = spark_.host_path(protocol::kWebReportFile);
  spark_.write("/etc/secret", "s3cret\n");
  spark_.write(protocol::kWebReportFile, "s3cret\n");
  EXPECT_THAT(doctor(), AllOf(HasSubstr("web.json' is not understood"), Not(HasSubstr("s3c"))));
  std::filesystem::remove(report);
  std::filesystem::create_symlink("/etc/secret", report);
  EXPECT_THAT(doctor(), AllOf(HasSubstr("a symbolic link is on the way"), Not(HasSubstr("s3c"))));
  std::filesystem::remove(report);
  std::filesystem::create_hard_link(spark_.host_path("/etc/secret"), report);
  EXPECT_THAT(doctor(), AllOf(HasSubstr("no regular file with one name"), Not(HasSubstr("s3c"))));
}

TEST_F(Web, GoesWhereAgentYamlSays) {
  start();
  serve();
  daemon_->signal(SIGTERM);
  EXPECT_THAT(daemon_->wait(), ExitsWith(0));
  spark_.write("/etc/spark-reconcile/agent.yaml", "listen: 127.0.0.1:9850\n");
  start();
  until([&] { return get("/healthz", 9850).contains("200 OK"); });
  EXPECT_THAT(get("/healthz"), IsEmpty());
  EXPECT_THAT(listening(), ElementsAre("tcp 127.0.0.1:9850"));
}

/// "VmHWM" of /proc/PID/status, KiB.
std::size_t kib_of(pid_t process, std::string_view field) {
  std::ifstream file(fmt::format("/proc/{}/status", process));
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(field)) continue;
    const auto digits = line.find_first_of("0123456789");
    std::size_t value = 0;
    std::from_chars(line.data() + digits, line.data() + line.size(), value);
    return value;
  }
  ADD_FAILURE() << "no " << field;
  return 0;
}

std::size_t open_files_of(pid_t process) {
  const std::filesystem::directory_iterator files(fmt::format("/proc/{}/fd", process));
  return static_cast<std::size_t>(std::ranges::distance(files));
}

TEST_F(Web, TenThousandConnectionsKeepNeitherItNorTheDaemonFromTheirWork) {
  constexpr std::size_t kConnections = 10'000;
  // 32 connections, and what it has open without any.
  constexpr std::size_t kMostFiles = 50;
  constexpr std::size_t kMostGrowthKib = std::size_t{64} * 1024;
  const rlimit files{.rlim_cur = kConnections + 500, .rlim_max = kConnections + 500};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &files), 0);
  start();
  serve();
  const auto before = kib_of(web_->process(), "VmHWM");
  const auto daemon_before = open_files_of(daemon_->process());
  std::vector<UniqueFd> connections;
  std::size_t most_files = 0;
  const auto open_some = [&](std::size_t upto) {
    in_network(spark_.network(), [&] {
      const SocketAddress server(*IpAddress::parse("127.0.0.1"), 9842);
      while (connections.size() < upto) {
        auto& one = connections.emplace_back(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        const timeval longest{.tv_sec = 10, .tv_usec = 0};
        setsockopt(one.get(), SOL_SOCKET, SO_SNDTIMEO, &longest, sizeof longest);
        ASSERT_EQ(connect(one.get(), server.get(), server.size()), 0) << connections.size();
        // One says nothing, one never ends its request, one never reads its answers.
        constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
        const auto kind = connections.size() % 3;
        const auto said = kind == 0 ? kGet.substr(0, 20) : kind == 1 ? kGet : std::string_view();
        static_cast<void>(send(one.get(), said.data(), said.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
        if (connections.size() % 500 == 0) {
          most_files = std::max(most_files, open_files_of(web_->process()));
        }
      }
    });
  };
  open_some(kConnections / 2);
  spark_.ip("link set enp1s0f0np0 mtu 1500");
  open_some(kConnections);
  wait_until([&] { return has_mtu(9000); });
  EXPECT_LE(std::max(most_files, open_files_of(web_->process())), kMostFiles);
  EXPECT_LE(kib_of(web_->process(), "VmHWM"), before + kMostGrowthKib);
  EXPECT_LE(open_files_of(daemon_->process()), daemon_before + 10) << "the daemon hears of none";
  EXPECT_THAT(get("/healthz"), HasSubstr("200 OK")) << "with all of them open";
}

}  // namespace
}  // namespace spark::test
