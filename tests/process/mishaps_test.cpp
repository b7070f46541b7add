// What happens to a machine that nobody planned: files wiped, edited or left behind, clocks and
// terminals that go away, visitors and peers that do not answer.

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "base/socket_address.hpp"
#include "process/daemon_world.hpp"
#include "protocol/paths.hpp"

namespace spark::test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kState = "/var/lib/spark-reconcile";
constexpr const char* kLastGood = "/var/lib/spark-reconcile/last-good.yaml";
constexpr const char* kInForce = "/var/lib/spark-reconcile/in_force.json";
constexpr const char* kLedger = "/var/lib/spark-reconcile/spark1/ledger.json";

class Mishap : public Daemon {
 protected:
  [[nodiscard]] bool exists(const std::string& path) const {
    return fs::exists(spark_.host_path(path));
  }
  [[nodiscard]] std::string alerts() const {
    return spark_.read("/var/lib/spark-reconcile/alerts.json");
  }
  /// As `rm -rf`; what the daemon writes meanwhile may stay.
  /// All of it, although the daemon writes there: a file that comes or goes meanwhile ends a try.
  void wipe(const std::string& path) const {
    constexpr int kMost = 100;
    std::error_code error;
    for (int i = 0; i < kMost; ++i) {
      fs::remove_all(spark_.host_path(path), error);
      if (!error) return;
    }
    FAIL() << path << ": " << error.message();
  }
  Outcome stop() {
    daemon_->signal(SIGTERM);
    return daemon_->wait();
  }
};

TEST_F(Mishap, ASecondDaemonDoesNotStartWhereRunWasWiped) {
  start();
  wipe("/run/spark-reconcile");
  wait_until([&] {
    return exists("/run/spark-reconcile/daemon.lock") && exists("/run/spark-reconcile/status.json");
  });
  const auto second = spark_.reconcile({"daemon"});
  EXPECT_THAT(second, ExitsWith(75));
  EXPECT_THAT(second.err, HasSubstr("held by process"));
  EXPECT_THAT(stop(), ExitsWith(0));
}

TEST_F(Mishap, ADaemonWhoseLockAnotherOneHasEnds) {
  start();
  // As a second one that starts in the same moment in which the lock is removed.
  spark_.write("/run/spark-reconcile/new", "1\n");
  const UniqueFd lock(
      open(spark_.host_path("/run/spark-reconcile/new").c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_EQ(flock(lock.get(), LOCK_EX), 0);
  fs::rename(spark_.host_path("/run/spark-reconcile/new"),
             spark_.host_path("/run/spark-reconcile/daemon.lock"));
  const auto ended = daemon_->wait();
  EXPECT_THAT(ended, ExitsWith(75));
  EXPECT_THAT(ended.err, HasSubstr("held by process 1"));
}

TEST_F(Mishap, WhatIsLostIsToldWhereTheStateWasWiped) {
  spark_.ip("address add 192.0.2.1/24 dev enp1s0f0np0");  // ours by the file, and not made by us
  start();
  const auto good = spark_.read(kLastGood);
  const auto ledger = spark_.read(kLedger);
  ASSERT_THAT(ledger, HasSubstr("192.0.2.1"));
  wipe(kState);
  wait_until([&] { return alerts().contains("SparkStateLost"); });
  EXPECT_THAT(alerts(), AllOf(HasSubstr("Written again from memory: the file in force"),
                              HasSubstr("Lost: the history")));
  EXPECT_EQ(spark_.read(kLastGood), good);
  EXPECT_EQ(spark_.read(kLedger), ledger) << "what was there before us is still given back";
}

TEST_F(Mishap, TheDaemonAndApplyReadTheSameFile) {
  auto text = spark_.read("/etc/spark-reconcile/cluster.yaml");
  text.replace(text.find("9000"), 4, "4000");
  spark_.write("/elsewhere.yaml", text);
  const auto elsewhere = spark_.host_path("/elsewhere.yaml").string();
  EXPECT_THAT(spark_.reconcile({"apply", "-f", elsewhere}), ExitsWith(0));
  EXPECT_TRUE(has_mtu(4000));
  spark_.ip("link set enp1s0f0np0 mtu 1500");
  start({"-f", elsewhere});
  EXPECT_TRUE(has_mtu(4000));
}

TEST_F(Mishap, ALastGoodFileThatWasChangedIsNotApplied) {
  start();
  spark_.file("version: 1\ncluster: [\n");
  ASSERT_TRUE(notify_.hears("a newer file is refused"));
  EXPECT_THAT(stop(), ExitsWith(0));
  for (const auto* kept : {kInForce, kLastGood}) {
    auto text = spark_.read(kept);
    spark_.write(kept, text.replace(text.find("9000"), 4, "9001"));
  }
  start();
  EXPECT_TRUE(has_mtu(9000));
  EXPECT_TRUE(status()["digest"].is_null()) << status().dump(2);
  wait_until([&] { return alerts().contains("is not the file that was kept there"); });
  // A file that is good is followed as ever.
  spark_.file_with_links("enp1s0f0np0: { mtu: 4000, addresses: [192.0.2.1/24] }");
  wait_until([&] { return has_mtu(4000); });
}

TEST_F(Mishap, ADaemonThatFirstStartsWithAWrongFileHoldsWhatWasAppliedByHand) {
  ASSERT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  spark_.file("version: 1\ncluster: [\n");
  spark_.ip("link set enp1s0f0np0 mtu 1500");
  start();
  EXPECT_TRUE(has_mtu(9000));
  EXPECT_TRUE(status()["file"]["refused"].is_object()) << status().dump(2);
  EXPECT_THAT(spark_.reconcile({"status"}).out, HasSubstr("the last good one stays in force"));
  EXPECT_TRUE(exists(kLastGood));
  EXPECT_THAT(stop().err, AllOf(HasSubstr("notice: in force for node 'spark1'"),
                                HasSubstr("warning: refused: ")));
}

TEST_F(Mishap, ABootAfterAFileWasRolledBackHoldsTheOneBefore) {
  ASSERT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  spark_.file_with_links("enp1s0f0np0: { mtu: 4000, addresses: [192.0.2.1/24] }");
  ASSERT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  // As where nobody confirmed it; the timer that takes it back is systemd's.
  constexpr const char* kHistory = "/var/lib/spark-reconcile/spark1/history.json";
  auto history = nlohmann::json::parse(spark_.read(kHistory));
  history["generations"].back()["outcome"] = "unconfirmed";
  spark_.write(kHistory, history.dump());
  // Version 0.2.0, which did it, knew of no other record.
  for (const auto* path : {kInForce, kLastGood}) fs::remove(spark_.host_path(path));
  spark_.ip("link set enp1s0f0np0 mtu 1500");
  start();
  EXPECT_TRUE(has_mtu(9000));
  EXPECT_THAT(status()["file"]["refused"]["first"], HasSubstr("rolled back")) << status().dump(2);
}

TEST_F(Mishap, AFileIsFollowedToWhereALinkLeads) {
  const auto other = [](int mtu) {
    return fmt::format(
        "version: 1\ncluster: lab\nnodes: {{ spark1: {{ links: {{ enp1s0f0np0: {{ mtu: {} }} }} }} "
        "}}\n",
        mtu);
  };
  spark_.write("/srv/git/cluster.yaml", other(9000));
  fs::remove(spark_.host_path(protocol::kDefaultFile));
  fs::create_symlink("/srv/git/cluster.yaml", spark_.host_path(protocol::kDefaultFile));
  start();
  ASSERT_TRUE(has_mtu(9000));
  spark_.write("/srv/git/cluster.yaml", other(4000));  // in place
  wait_until([&] { return has_mtu(4000); });
}

TEST_F(Mishap, ANamedFileIsThatOfTheCaller) {
  fs::rename(spark_.host_path(protocol::kDefaultFile), spark_.host_path("/mine.yaml"));
  start({"-f", spark_.host_path("/mine.yaml")});
  EXPECT_TRUE(has_mtu(9000));
  EXPECT_THAT(stop().err, HasSubstr("in force for node 'spark1'"));
}

TEST_F(Mishap, ADaemonSaysWhatItDoes) {
  start();
  spark_.file("version: 1\ncluster: [\n");
  ASSERT_TRUE(notify_.hears("a newer file is refused"));
  const auto ended = stop();
  EXPECT_THAT(ended, ExitsWith(0));
  EXPECT_THAT(ended.err,
              AllOf(HasSubstr("notice: started, version "),
                    HasSubstr(": keeps this node as '/etc/spark-reconcile/cluster.yaml'"),
                    HasSubstr("notice: in force for node 'spark1'"),
                    HasSubstr("warning: refused: "), HasSubstr("notice: ended by a signal")));
}

TEST_F(Mishap, ADaemonEndsWithItsTerminal) {
  std::string line;
  for (const auto& word : spark_.command({"daemon"}).argv) {
    line += "'" + word + "' ";
  }
  auto command = spark_.command({});
  command.argv = {"script", "--quiet", "--command", "exec " + line, "/dev/null"};
  command.environment = {"NOTIFY_SOCKET=" + notify_.path()};
  Running terminal(command);
  ASSERT_TRUE(notify_.hears("READY=1"));
  terminal.signal(SIGKILL);
  EXPECT_TRUE(notify_.hears("STOPPING=1"));
}

/// Answers nothing, and keeps every connection.
class Receiver {
 public:
  explicit Receiver(const Spark& spark) {
    in_network(spark.network(), [&] {
      socket_ = UniqueFd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      const SocketAddress address(*IpAddress::parse("127.0.0.1"), 9093);
      EXPECT_EQ(bind(socket_.get(), address.get(), address.size()), 0);
      EXPECT_EQ(listen(socket_.get(), 1), 0);
    });
  }
  /// Whether somebody connects within ten seconds.
  [[nodiscard]] bool is_called() const {
    constexpr int kLongest = 10'000;
    pollfd entry{.fd = socket_.get(), .events = POLLIN, .revents = 0};
    return poll(&entry, 1, kLongest) == 1;
  }

 private:
  UniqueFd socket_;
};

TEST_F(Mishap, AHookBelowTheRootRunsWithNoSocketOfTheDaemon) {
  const Receiver receiver(spark_);
  spark_.write("/etc/spark-reconcile/agent.yaml",
               "alerts: { alertmanager: [\"http://127.0.0.1:9093\"] }\n");
  const auto told = spark_.host_path("/told").string();
  const auto* const hook = "/etc/spark-reconcile/hooks.d/tell";
  spark_.write(hook, "#!/bin/sh\nreadlink /proc/$$/fd/* >>" + told + "\necho end >>" + told + "\n");
  fs::permissions(spark_.host_path(hook), fs::perms{0755});
  start();
  spark_.file("version: 1\ncluster: [\n");
  ASSERT_TRUE(receiver.is_called());
  // Its connection is open while the next hook runs.
  wipe(kState);
  const auto runs = [&] {
    const auto text = spark_.read("/told");
    std::size_t count = 0;
    for (auto at = text.find("end\n"); at != std::string::npos; at = text.find("end\n", at + 1)) {
      ++count;
    }
    return count;
  };
  wait_until([&] { return runs() >= 2; });
  EXPECT_THAT(spark_.read("/told"), Not(HasSubstr("socket:")));
}

TEST_F(Mishap, WhatAKilledWriterLeftIsRemoved) {
  spark_.write("/var/lib/spark-reconcile/.pause.json.spark-reconcile-new", "{");
  spark_.write("/var/lib/spark-reconcile/spark1/.journal.json.spark-reconcile-new", "{");
  spark_.write("/run/spark-reconcile/apply/.journal-spark1.json.spark-reconcile-new", "{");
  spark_.write("/var/lib/spark-reconcile/.mine", "of a person\n");
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  EXPECT_FALSE(exists("/var/lib/spark-reconcile/spark1/.journal.json.spark-reconcile-new"));
  EXPECT_FALSE(exists("/run/spark-reconcile/apply/.journal-spark1.json.spark-reconcile-new"));
  start();
  EXPECT_FALSE(exists("/var/lib/spark-reconcile/.pause.json.spark-reconcile-new"));
  EXPECT_TRUE(exists("/var/lib/spark-reconcile/.mine"));
}

TEST_F(Mishap, ALongReasonForAPauseIsRefused) {
  const auto refused =
      spark_.reconcile({"pause", "--for", "1h", "--reason", std::string(120'000, 'x')});
  EXPECT_THAT(refused, ExitsWith(64));
  EXPECT_THAT(refused.err, HasSubstr("more than 200 characters"));
  EXPECT_FALSE(exists("/var/lib/spark-reconcile/pause.json"));
}

TEST_F(Mishap, AnApplyThatCannotBeRecordedIsNoSuccess) {
  spark_.write("/var/lib/spark-reconcile/spark1/files", "in the way of a directory\n");
  const auto outcome = spark_.reconcile({"apply"});
  EXPECT_THAT(outcome, ExitsWith(1));
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("not recorded in the history"), HasSubstr("stays")));
  EXPECT_TRUE(has_mtu(9000));
}

TEST_F(Mishap, WaitingWhereNoDaemonRunsIsSaidAtOnce) {
  const auto outcome = spark_.reconcile({"wait", "--timeout", "10ms"});
  EXPECT_THAT(outcome, ExitsWith(3));
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("no daemon has reported this node"),
                                 HasSubstr("systemctl start spark-reconcile")));
}

/// Hears the echoes that arrive at a link.
class Echoes {
 public:
  Echoes(const Spark& spark, const std::string& link) {
    in_network(spark.network(), [&] {
      socket_ = UniqueFd(socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, htons(ETH_P_IP)));
      sockaddr_ll address{};
      address.sll_family = AF_PACKET;
      address.sll_protocol = htons(ETH_P_IP);
      address.sll_ifindex = static_cast<int>(if_nametoindex(link.c_str()));
      EXPECT_EQ(bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    });
  }
  [[nodiscard]] bool hears_one(std::chrono::milliseconds within) const {
    pollfd entry{.fd = socket_.get(), .events = POLLIN, .revents = 0};
    char first = 0;
    return poll(&entry, 1, static_cast<int>(within.count())) == 1 &&
           recv(socket_.get(), &first, sizeof first, 0) == 1;
  }

 private:
  UniqueFd socket_;
};

int mtu_of(const Spark& spark, std::string_view link) {
  ifreq request{};
  link.copy(request.ifr_name, IFNAMSIZ - 1);
  in_network(spark.network(), [&] {
    const UniqueFd any(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(ioctl(any.get(), SIOCGIFMTU, &request), 0);
  });
  return request.ifr_mtu;
}

TEST_F(Mishap, ACorrectionDoesNotWaitForPeersThatDoNotAnswer) {
  Spark peer("spark2");
  spark_.ip("link del enp1s0f0np0");
  wire(spark_, "enp1s0f0np0", peer, "enp1s0f0np0");
  spark_.add_link("enP2p1s0f0np0");
  spark_.ip("link set enp1s0f0np0 up");
  peer.ip(
      "link set enp1s0f0np0 mtu 9000 up\n"
      "address add 192.0.2.12/24 dev enp1s0f0np0");
  peer.set_sysctl("net.ipv4.icmp_echo_ignore_all", "1");
  spark_.file(R"(version: 1
cluster: pair
nodes:
  spark1: { number: 11 }
  spark2: { number: 12 }
fabric:
  mtu: 9000
  cables:
    - { ends: [spark1:0, spark2:0], subnets: [192.0.2.0/24, 198.51.100.0/24] }
)");
  const Echoes echoes(peer, "enp1s0f0np0");
  start();
  // They are sent again every 200 ms for a second; the next time is two seconds later.
  ASSERT_TRUE(echoes.hears_one(std::chrono::seconds(10)));
  spark_.ip("link set enP2p1s0f0np0 mtu 1500");
  bool meanwhile = false;
  while (!meanwhile && echoes.hears_one(std::chrono::seconds(1))) {
    meanwhile = mtu_of(spark_, "enP2p1s0f0np0") == 9000;
  }
  EXPECT_TRUE(meanwhile) << "it is corrected only after the last echo";
}

}  // namespace
}  // namespace spark::test
