// The daemon on a machine: it converges, sees what others change, and leaves everything as it is.

#include <array>
#include <csignal>
#include <functional>
#include <memory>
#include <string>

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/ip.hpp"
#include "base/socket_address.hpp"
#include "base/unique_fd.hpp"
#include "host/netlink_kernel.hpp"
#include "process/monitor.hpp"
#include "process/spark.hpp"

namespace spark {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// What systemd hears of a service (sd_notify(3)).
class NotifySocket {
 public:
  explicit NotifySocket(const std::string& path)
      : path_(path), socket_(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    EXPECT_EQ(bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    const timeval longest{.tv_sec = 10, .tv_usec = 0};
    setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest);
  }

  [[nodiscard]] const std::string& path() const { return path_; }

  /// The next message; empty: none came for ten seconds.
  [[nodiscard]] std::string next() const {
    std::array<char, 1024> text{};
    const auto got = recv(socket_.get(), text.data(), text.size(), 0);
    return got > 0 ? std::string(text.data(), static_cast<std::size_t>(got)) : "";
  }

  /// Hears until one says so, or nothing comes.
  [[nodiscard]] bool hears(const std::string& text) const {
    for (auto message = next(); !message.empty(); message = next()) {
      if (message.find(text) != std::string::npos) {
        return true;
      }
    }
    return false;
  }

 private:
  std::string path_;
  UniqueFd socket_;
};

class Daemon : public ::testing::Test {
 protected:
  Daemon() {
    spark_.add_link("enp1s0f0np0");
    spark_.file_with_links("enp1s0f0np0: { mtu: 9000, addresses: [192.0.2.1/24] }");
  }

  void start() {
    auto command = spark_.command({"daemon"});
    command.environment = {"NOTIFY_SOCKET=" + notify_.path(), "WATCHDOG_USEC=3000000"};
    daemon_ = std::make_unique<Running>(command);
    EXPECT_TRUE(notify_.hears("READY=1"));
  }

  /// After each pass it says how it is: until the condition holds.
  void wait_until(const std::function<bool()>& holds) const {
    while (!holds()) {
      ASSERT_THAT(notify_.next(), Not(IsEmpty())) << status().dump(2);
    }
  }

  [[nodiscard]] bool has_mtu(int bytes) const { return spark_.link("enp1s0f0np0")["mtu"] == bytes; }
  [[nodiscard]] nlohmann::json status() const {
    return nlohmann::json::parse(spark_.read("/run/spark-reconcile/status.json"), nullptr, false);
  }

  Spark spark_;
  NotifySocket notify_{spark_.host_path("/notify").string()};
  std::unique_ptr<Running> daemon_;
};

TEST_F(Daemon, IsReadyOnceTheFileHolds) {
  start();
  EXPECT_TRUE(has_mtu(9000));
  EXPECT_THAT(spark_.addresses("enp1s0f0np0"), ::testing::ElementsAre("192.0.2.1/24"));
  EXPECT_TRUE(notify_.hears("WATCHDOG=1"));
}

TEST_F(Daemon, PutsRightWhatOthersChange) {
  start();
  spark_.ip("link set enp1s0f0np0 mtu 1500");
  wait_until([&] { return has_mtu(9000); });
  spark_.ip("address del 192.0.2.1/24 dev enp1s0f0np0");
  wait_until([&] { return !spark_.addresses("enp1s0f0np0").empty(); });
}

TEST_F(Daemon, FollowsTheFileAndKeepsTheLastGoodOne) {
  start();
  spark_.file_with_links("enp1s0f0np0: { mtu: 4000, addresses: [192.0.2.1/24] }");
  wait_until([&] { return has_mtu(4000); });
  spark_.file("version: 1\ncluster: [\n");
  ASSERT_TRUE(notify_.hears("a newer file is refused"));
  spark_.ip("link set enp1s0f0np0 mtu 1500");
  wait_until([&] { return has_mtu(4000); });
  daemon_->signal(SIGTERM);
  EXPECT_THAT(daemon_->wait(), ExitsWith(0));
  spark_.ip("link set enp1s0f0np0 mtu 1500");
  start();  // the file is still wrong
  EXPECT_TRUE(has_mtu(4000));
}

TEST_F(Daemon, LeavesEverythingAsItIsWhenItStops) {
  start();
  const auto before = spark_.dump();
  Monitor monitor(spark_.network());
  daemon_->signal(SIGTERM);
  EXPECT_THAT(daemon_->wait(), ExitsWith(0));
  EXPECT_EQ(spark_.dump(), before);
  EXPECT_THAT(monitor.take(), IsEmpty());
}

TEST_F(Daemon, TouchesNothingAfterItWasKilled) {
  start();
  spark_.settle();
  Monitor monitor(spark_.network());
  monitor.wait_for_silence();
  daemon_->signal(SIGKILL);
  EXPECT_THAT(daemon_->wait(), ExitsWith(-1));
  start();
  EXPECT_THAT(monitor.take(), IsEmpty());
}

TEST_F(Daemon, GivesUpAFightAndSaysSo) {
  start();
  // Of an address the kernel names who changed it; of an MTU it does not (rtmsg_ifinfo).
  const auto fight = [&] {
    in_network(spark_.network(), [] {
      KernelNetlink us;
      EXPECT_TRUE(us.remove_address("enp1s0f0np0", *IpPrefix::parse("192.0.2.1/24")));
    });
  };
  for (int i = 0; i < 3; ++i) {
    fight();
    wait_until([&] { return !spark_.addresses("enp1s0f0np0").empty(); });
  }
  fight();
  ASSERT_TRUE(notify_.hears("1 not as the file says"));
  EXPECT_THAT(spark_.addresses("enp1s0f0np0"), IsEmpty());
  const auto drift = status()["drift"];
  ASSERT_EQ(drift.size(), 1U);
  EXPECT_EQ(drift[0]["state"], "contested");
  EXPECT_THAT(drift[0]["why"].get<std::string>(),
              HasSubstr("by process_tests (process " + std::to_string(getpid()) + ")"));
}

TEST_F(Daemon, CorrectsNothingDuringAPause) {
  start();
  EXPECT_THAT(spark_.reconcile({"pause", "--for", "2h", "--reason", "maintenance"}), ExitsWith(0));
  ASSERT_TRUE(notify_.hears("paused"));
  spark_.ip("link set enp1s0f0np0 mtu 1500");
  ASSERT_TRUE(notify_.hears("1 not as the file says"));
  EXPECT_TRUE(has_mtu(1500));
  EXPECT_THAT(spark_.reconcile({"resume"}), ExitsWith(0));
  wait_until([&] { return has_mtu(9000); });
}

/// The answer to a GET on the machine itself.
std::string get(const Spark& spark, const std::string& path) {
  std::string answer;
  in_network(spark.network(), [&] {
    const UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    constexpr std::uint16_t kPort = 9842;
    const SocketAddress daemon(*IpAddress::parse("127.0.0.1"), kPort);
    const timeval longest{.tv_sec = 10, .tv_usec = 0};
    setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest);
    ASSERT_EQ(connect(fd.get(), daemon.get(), daemon.size()), 0);
    const auto request =
        "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    ASSERT_EQ(send(fd.get(), request.data(), request.size(), 0),
              static_cast<ssize_t>(request.size()));
    std::array<char, 4096> chunk{};
    for (ssize_t got = 0; (got = recv(fd.get(), chunk.data(), chunk.size(), 0)) > 0;) {
      answer.append(chunk.data(), static_cast<std::size_t>(got));
    }
  });
  return answer;
}

TEST_F(Daemon, ShowsHowTheNodeIs) {
  spark_.ip("link set lo up");
  start();
  spark_.ip("link set enp1s0f0np0 mtu 1500");
  wait_until([&] { return has_mtu(9000); });
  EXPECT_THAT(get(spark_, "/healthz"), HasSubstr("200 OK"));
  EXPECT_THAT(get(spark_, "/"), HasSubstr("enp1s0f0np0"));
  EXPECT_THAT(get(spark_, "/metrics"), HasSubstr("spark_reconcile_corrections_total"));
  EXPECT_THAT(get(spark_, "/readyz"), HasSubstr("503"));
  EXPECT_THAT(spark_.reconcile({"status"}).out, HasSubstr("daemon: unknown"));
  daemon_->signal(SIGTERM);
  EXPECT_THAT(daemon_->wait(), ExitsWith(0));
  EXPECT_THAT(spark_.reconcile({"status"}).out, Not(HasSubstr("daemon:")));
}

TEST_F(Daemon, TellsWhatItChanges) {
  start();
  auto command = spark_.command({"events", "-f"});
  Running follower(command);
  spark_.ip("link set enp1s0f0np0 mtu 1500");
  wait_until([&] { return has_mtu(9000); });
  EXPECT_THAT(spark_.reconcile({"events"}).out,
              HasSubstr("drift  ✓ mtu enp1s0f0np0: 1500 -> 9000"));
  const auto json = spark_.json({"events"});
  EXPECT_EQ(json["changes"][0]["cause"], "drift");
  EXPECT_EQ(json["changes"].back()["cause"], "file");
  follower.signal(SIGTERM);
  EXPECT_THAT(follower.wait().out, HasSubstr("1500 -> 9000"));
}

TEST_F(Daemon, IsAloneOnAMachine) {
  start();
  const auto second = spark_.reconcile({"daemon"});
  EXPECT_THAT(second, ExitsWith(75));
  EXPECT_THAT(second.err, HasSubstr("held by process"));
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
}

TEST_F(Daemon, IsWaitedForInVainWhereThereIsNoRdma) {
  const auto without = spark_.reconcile({"wait", "--timeout", "10ms"});
  EXPECT_THAT(without, ExitsWith(3));
  EXPECT_THAT(without.err, HasSubstr("the daemon does not run"));
  start();
  EXPECT_THAT(spark_.reconcile({"wait", "--ready", "--timeout", "10ms"}), ExitsWith(3));
}

}  // namespace
}  // namespace spark
