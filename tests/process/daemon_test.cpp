// The daemon on a machine: it converges, sees what others change, and leaves everything as it is.

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/unique_fd.hpp"
#include "host/linux/netlink/linux_netlink.hpp"
#include "process/daemon_world.hpp"
#include "process/monitor.hpp"
#include "protocol/paths.hpp"

namespace spark::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

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

TEST_F(Daemon, TakesNoFileThatSomebodyIsStillWriting) {
  start();
  const auto path = spark_.host_path(protocol::kDefaultFile);
  const auto whole = spark_.read(protocol::kDefaultFile);
  // The first half is valid by itself, and lacks the address of a live rail.
  const auto half = whole.substr(0, whole.find("enp1s0f0np0")) + "enp1s0f0np0: { mtu: 4000 }\n";
  std::ofstream writer(path, std::ios::binary);
  writer << half << std::flush;
  daemon_->signal(SIGHUP);  // a look, as the timer has one each minute
  ASSERT_TRUE(notify_.hears("reading the file again"));
  daemon_->signal(SIGHUP);
  ASSERT_TRUE(notify_.hears("reading the file again"));
  spark_.ip("link set enp1s0f0np0 mtu 1500");
  wait_until([&] { return has_mtu(9000); });
  EXPECT_THAT(spark_.addresses("enp1s0f0np0"), ::testing::ElementsAre("192.0.2.1/24"));
  EXPECT_TRUE(status()["file"]["refused"].is_null());
  writer << "# and the rest\n";
  writer.close();
  wait_until([&] { return has_mtu(4000); });
}

TEST_F(Daemon, FollowsNoFileThatOthersCanWrite) {
  start();
  std::filesystem::permissions(spark_.host_path(protocol::kDefaultFile),
                               std::filesystem::perms(0666));
  spark_.file_with_links("enp1s0f0np0: { mtu: 4000, addresses: [192.0.2.1/24] }");
  ASSERT_TRUE(notify_.hears("a newer file is refused"));
  EXPECT_THAT(status()["file"]["refused"]["first"].get<std::string>(),
              HasSubstr("can be written by everybody"));
  EXPECT_TRUE(has_mtu(9000));
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
      host::LinuxNetlink us;
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

TEST_F(Daemon, TellsWhatItChanges) {
  start();
  auto command = spark_.command({"events", "-f"});
  Running follower(command);
  spark_.ip("link set enp1s0f0np0 mtu 1500");
  // The kernel has it a moment before the daemon tells of it.
  const auto* told = "✓ mtu enp1s0f0np0: 1500 → 9000 (drift";
  wait_until([&] { return spark_.reconcile({"events"}).out.contains(told); });
  EXPECT_TRUE(has_mtu(9000));
  const auto json = spark_.json({"events"});
  EXPECT_EQ(json["changes"][0]["cause"], "drift");
  EXPECT_EQ(json["changes"].back()["cause"], "file");
  wait_until([&] { return follower.output().contains(told); });
  follower.signal(SIGTERM);
  EXPECT_THAT(follower.wait(), ExitsWith(-1));
}

TEST_F(Daemon, IsAloneOnAMachine) {
  start();
  const auto second = spark_.reconcile({"daemon"});
  EXPECT_THAT(second, ExitsWith(75));
  EXPECT_THAT(second.err, HasSubstr("held by process"));
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
}

TEST_F(Daemon, AnApplyThatItWouldSetBackIsRefused) {
  start();
  const auto other = spark_.host_path("/other.yaml").string();
  spark_.write(
      "/other.yaml",
      "version: 1\ncluster: lab\nnodes: { spark1: { links: { enp1s0f0np0: { mtu: 4000 } } } "
      "}\n");
  const auto outcome = spark_.reconcile({"apply", "-f", other});
  EXPECT_THAT(outcome, ExitsWith(6));
  EXPECT_THAT(outcome.err, HasSubstr("would overwrite this"));
  EXPECT_TRUE(has_mtu(9000));
  EXPECT_THAT(spark_.reconcile({"pause", "--for", "2h"}), ExitsWith(0));
  EXPECT_THAT(spark_.reconcile({"apply", "-f", other}), ExitsWith(0));
  EXPECT_TRUE(has_mtu(4000));
}

TEST_F(Daemon, ARollbackThatItWouldSetBackIsRefused) {
  start();
  const auto digest = [&] { return status()["digest"]; };
  const auto first = digest();
  const auto good = spark_.read(protocol::kDefaultFile);
  spark_.file_with_links("enp1s0f0np0: { mtu: 4000, addresses: [192.0.2.1/24] }");
  const auto newer = spark_.read(protocol::kDefaultFile);
  // The history has a file before the status does.
  wait_until(
      [&] { return spark_.json({"history"})["generations"].size() == 2 && digest() != first; });
  const auto followed = digest();
  spark_.file(newer + "# edited since\n");
  wait_until([&] { return digest() != followed; });
  const auto outcome = spark_.reconcile({"rollback"});
  EXPECT_THAT(outcome, ExitsWith(6));
  EXPECT_THAT(outcome.err, HasSubstr("would overwrite this"));
  EXPECT_TRUE(has_mtu(4000));
  spark_.file(newer);
  wait_until([&] { return digest() == followed; });
  EXPECT_THAT(spark_.reconcile({"rollback"}), ExitsWith(0));
  EXPECT_EQ(spark_.read(protocol::kDefaultFile), good);
  wait_until([&] { return digest() != followed; });
  EXPECT_TRUE(has_mtu(9000));
}

#if defined(__has_feature)
constexpr bool kIsSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kIsSanitized = false;
#endif

/// Kilobytes of its own that the process has in memory, and how many descriptors and threads.
struct Size {
  long kilobytes = 0;
  std::size_t descriptors = 0;
  std::size_t threads = 0;
};

Size size_of(pid_t process) {
  const auto folder = "/proc/" + std::to_string(process);
  const auto count = [&](const char* name) {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder + name), {}));
  };
  std::ifstream status(folder + "/status");
  Size size{.descriptors = count("/fd"), .threads = count("/task")};
  for (std::string word; status >> word;) {
    if (word == "RssAnon:") status >> size.kilobytes;
  }
  return size;
}

TEST_F(Daemon, DoesNotGrow) {
  start();
  // The first tenth of what comes fills what caches and heaps keep anyhow.
  constexpr int kApplies = kIsSanitized ? 100 : 1000;
  const auto follow_files = [&](int times) {
    for (int i = 0; i < times && !HasFatalFailure(); ++i) {
      const int mtu = i % 2 == 0 ? 4000 : 9000;
      spark_.file_with_links(
          fmt::format("enp1s0f0np0: {{ mtu: {}, addresses: [192.0.2.1/24] }}", mtu));
      daemon_->signal(SIGHUP);  // else it waits until the file stands still
      wait_until([&] { return has_mtu(mtu); });
    }
  };
  follow_files(kApplies / 10);
  // And 100 000 changes by others.
  const auto toggle = [&](int times) {
    in_network(spark_.network(), [&] {
      host::LinuxNetlink us;
      for (int i = 0; i < times; ++i) {
        ASSERT_TRUE(us.set_mtu("enp1s0f0np0", i % 2 == 0 ? 1500 : 9000));
      }
    });
    spark_.ip(
        "address add 198.51.100.1/24 dev enp1s0f0np0\naddress del 198.51.100.1/24 dev enp1s0f0np0");
    wait_until([&] { return has_mtu(9000) || status()["drift"].size() == 1; });
  };
  toggle(10'000);
  wait_until([&] { return !status()["gate"].is_null(); });  // which keeps its sockets
  const auto before = size_of(daemon_->process());
  follow_files(kApplies - kApplies / 10);
  for (int i = 0; i < 9; ++i) {
    toggle(10'000);
  }
  const auto after = size_of(daemon_->process());
  if (!kIsSanitized) {  // which keeps what was freed
    EXPECT_LE(after.kilobytes, before.kilobytes + 1024);
  }
  // A look at the gate has some open for as long as it takes.
  wait_until([&] { return size_of(daemon_->process()).descriptors <= before.descriptors; });
  EXPECT_EQ(after.threads, before.threads);
}

TEST_F(Daemon, IsWaitedForInVainWhereThereIsNoRdma) {
  const auto without = spark_.reconcile({"wait", "--timeout", "10ms"});
  EXPECT_THAT(without, ExitsWith(3));
  EXPECT_THAT(without.err, HasSubstr("the daemon does not run"));
  start();
  EXPECT_THAT(spark_.reconcile({"wait", "--ready", "--timeout", "10ms"}), ExitsWith(3));
}

}  // namespace
}  // namespace spark::test
