// apply as one transaction: all of it holds, or the machine is as before; and what keeps it from
// starting at all.

#include <csignal>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include "process/spark.hpp"

namespace spark::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Apply : public ::testing::Test {
 protected:
  Apply() { spark_.add_link("enp1s0f0np0"); }

  /// Nothing is left of an apply that is over: no change, and no journal of it.
  void expect_rolled_back(const Outcome& outcome, const std::string& before) const {
    EXPECT_THAT(outcome, ExitsWith(7));
    EXPECT_EQ(spark_.dump(), before) << outcome;
    EXPECT_FALSE(
        std::filesystem::exists(spark_.host_path("/var/lib/spark-reconcile/spark1/journal.json")));
    EXPECT_FALSE(
        std::filesystem::exists(spark_.host_path("/var/lib/spark-reconcile/spark1/ledger.json")));
  }

  Spark spark_;
};

TEST_F(Apply, RollsBackAllStepsWhenTheKernelRefusesAnAddress) {
  // Someone else's, with all that an address can carry, is taken for a moment and given back.
  spark_.ip(
      "address add 203.0.113.1/24 broadcast 203.0.113.200 label enp1s0f0np0:a metric 77 "
      "dev enp1s0f0np0");
  // IPv6 needs an MTU of 1280.
  spark_.add_link("enp1s0f1np1");
  spark_.ip("link set enp1s0f1np1 mtu 1000");
  spark_.file_with_links(
      "enp1s0f0np0: { mtu: 9000, addresses: [192.0.2.1/24, 203.0.113.1/25] }\n"
      "enp1s0f1np1: { addresses: ['2001:db8::1/64'] }");
  const auto before = spark_.dump();
  expect_rolled_back(spark_.reconcile({"apply"}), before);
}

TEST_F(Apply, RollsBackAllStepsWhenTheKernelRefusesAnMtu) {
  spark_.ip("link add tunnel0 type vxlan id 5 dev enp1s0f0np0 dstport 4789");
  spark_.add_link("enp1s0f1np1");
  // A tunnel may not exceed what it goes through, less its own headers.
  spark_.file_with_links("enp1s0f1np1: { mtu: 4000 }\ntunnel0: { mtu: 9000 }");
  const auto before = spark_.dump();
  expect_rolled_back(spark_.reconcile({"apply"}), before);
}

TEST_F(Apply, RestoresTheMtuOfADeviceThatStandsOnAnother) {
  spark_.ip(
      "link set enp1s0f0np0 mtu 9000\n"
      "link add link enp1s0f0np0 name stacked0 mtu 9000 type macvlan");
  spark_.file(R"(version: 1
cluster: lab
nodes: { spark1: { links: { enp1s0f0np0: { mtu: 1500 } } } }
host: { sysctl: { net.ipv4.tcp_syn_retries: 1000 } }
)");
  EXPECT_THAT(spark_.reconcile({"plan"}).out, HasSubstr("9000, 9000 of 'stacked0' on it → 1500"));
  const auto before = spark_.dump();
  expect_rolled_back(spark_.reconcile({"apply"}), before);
}

TEST_F(Apply, RemembersAnOriginalThroughAKillAndAnApplyThatFails) {
  const auto file = [&](const std::string& settings) {
    spark_.file("version: 1\ncluster: lab\nnodes: { spark1: {} }\nhost: { sysctl: { " + settings +
                " } }\n");
  };
  // What a killed apply leaves: its change made, its log on disk, its ledger not yet written.
  file("net.ipv4.tcp_keepalive_time: 600");
  const auto original = spark_.sysctl("net.ipv4.tcp_keepalive_time");
  auto killed = spark_.command({"apply"});
  killed.argv.insert(killed.argv.begin(),
                     {"strace", "-qq", "-o", "/dev/null", "-e", "trace=renameat", "-e",
                      "inject=renameat:signal=KILL:when=3"});
  EXPECT_THAT(run(killed), ::testing::Not(ExitsWith(0)));
  EXPECT_EQ(spark_.sysctl("net.ipv4.tcp_keepalive_time"), "600");
  file("net.ipv4.tcp_keepalive_time: 600, net.ipv4.tcp_syn_retries: 1000");
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(7));
  spark_.file("version: 1\ncluster: lab\nnodes: { spark1: {} }\n");
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  EXPECT_EQ(spark_.sysctl("net.ipv4.tcp_keepalive_time"), original);
}

TEST_F(Apply, FindsImpossibleBeforeItStartsAnMtuAboveThatOfTheDeviceBelow) {
  spark_.ip("link add link enp1s0f0np0 name stacked0 type macvlan");
  spark_.file_with_links("stacked0: { mtu: 9000 }");
  const auto outcome = spark_.reconcile({"apply"});
  EXPECT_THAT(outcome, ExitsWith(1));
  EXPECT_THAT(outcome.err, HasSubstr("above the 1500 of 'enp1s0f0np0'"));
  spark_.file_with_links("enp1s0f0np0: { mtu: 9000 }\nstacked0: { mtu: 9000 }");
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
}

/// A file that gives enp1s0f0np0 these addresses, and two settings, of which the kernel refuses the
/// second.
std::string refused_at_the_end(const std::string& addresses) {
  return fmt::format(R"(version: 1
cluster: lab
nodes:
  spark1:
    links: {{ enp1s0f0np0: {{ addresses: [{}] }} }}
host: {{ sysctl: {{ net.ipv4.tcp_keepalive_time: 600, net.ipv4.tcp_syn_retries: 1000 }} }}
)",
                     addresses);
}

TEST_F(Apply, RollsBackAllStepsWhenTheKernelRefusesASetting) {
  spark_.ip("address add 192.0.2.1/24 dev enp1s0f0np0");
  spark_.file(refused_at_the_end("192.0.2.1/25, 198.51.100.1/24"));
  const auto before = spark_.dump();
  const auto outcome = spark_.reconcile({"apply"});
  expect_rolled_back(outcome, before);
  EXPECT_THAT(outcome.err, HasSubstr("nothing is left changed"));
  EXPECT_FALSE(std::filesystem::exists(spark_.host_path("/etc/sysctl.d")));
}

TEST_F(Apply, SaysWhatARollbackCouldNotRestore) {
  spark_.file_with_links("enp1s0f0np0: { addresses: [192.0.2.1/24] }");
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  spark_.ip("route add 203.0.113.0/24 dev enp1s0f0np0 src 192.0.2.1");
  spark_.file(refused_at_the_end("198.51.100.1/24"));
  const auto outcome = spark_.reconcile({"apply"});
  // The address is back; the kernel has taken along somebody's route, which is not ours to make.
  EXPECT_THAT(spark_.addresses("enp1s0f0np0"), ElementsAre("192.0.2.1/24"));
  EXPECT_THAT(outcome, ExitsWith(8));
  EXPECT_THAT(outcome.err, HasSubstr("203.0.113.0/24"));
  EXPECT_THAT(outcome.err, HasSubstr("src 192.0.2.1 is gone"));
}

TEST_F(Apply, StopsBeforeItsNextChangeWhenASignalComes) {
  spark_.file_with_links("enp1s0f0np0: { mtu: 9000 }");
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2, SIGVTALRM,
                           SIGPROF, SIGPOLL, SIGPWR, SIGXCPU, SIGXFSZ, SIGSTKFLT, SIGRTMIN}) {
    auto command = spark_.command({"apply"});
    command.pending_signal = signal;
    EXPECT_THAT(run(command), ExitsWith(130)) << strsignal(signal);
    EXPECT_EQ(spark_.link("enp1s0f0np0")["mtu"], 1500) << strsignal(signal);
  }
}

TEST_F(Apply, GoesOnWhenASignalComesThatIsIgnored) {
  spark_.file_with_links("enp1s0f0np0: { mtu: 9000 }");
  auto command = spark_.command({"apply"});
  command.pending_signal = SIGHUP;
  command.ignored_signal = true;
  EXPECT_THAT(run(command), ExitsWith(0));
  EXPECT_EQ(spark_.link("enp1s0f0np0")["mtu"], 9000);
}

TEST_F(Apply, WaitsForAnAbsentDeviceAndDoesTheRest) {
  spark_.file_with_links(
      "enp1s0f0np0: { mtu: 9000, addresses: [192.0.2.1/24] }\n"
      "enp1s0f1np1: { mtu: 9000, addresses: [198.51.100.1/24] }");
  const auto outcome = spark_.reconcile({"apply"});
  EXPECT_THAT(outcome, ExitsWith(3));
  EXPECT_THAT(outcome.out, HasSubstr("[SR-LINK-001]"));
  EXPECT_THAT(spark_.addresses("enp1s0f0np0"), ElementsAre("192.0.2.1/24"));
  EXPECT_EQ(spark_.link("enp1s0f0np0")["mtu"], 9000);
}

TEST_F(Apply, LeavesNoLogBehindWhenItIsDone) {
  spark_.file_with_links("enp1s0f0np0: { mtu: 9000 }");
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  EXPECT_FALSE(
      std::filesystem::exists(spark_.host_path("/var/lib/spark-reconcile/spark1/journal.json")));
}

TEST_F(Apply, IsRefusedOnAnotherNode) {
  spark_.file(
      "version: 1\ncluster: lab\nnodes:\n"
      "  one: { match: { hostname: spark1 } }\n"
      "  two: { links: { enp1s0f0np0: { mtu: 9000 } } }\n");
  const auto outcome = spark_.reconcile({"apply", "-n", "two"});
  EXPECT_THAT(outcome, ExitsWith(6));
  EXPECT_THAT(outcome.err, HasSubstr("identifies this machine as 'one'"));
  EXPECT_EQ(spark_.link("enp1s0f0np0")["mtu"], 1500);
  // To look is no harm.
  const auto plan = spark_.reconcile({"plan", "-n", "two"});
  EXPECT_THAT(plan, ExitsWith(0));
  EXPECT_THAT(plan.out,
              HasSubstr("This machine is 'one': apply belongs on 'two'. `ssh -t two sudo "));
}

TEST_F(Apply, WaitsForNobody) {
  spark_.file_with_links("enp1s0f0np0: { mtu: 9000 }");
  spark_.write("/run/spark-reconcile/apply/lock", "");
  const UniqueFd lock(
      open(spark_.host_path("/run/spark-reconcile/apply/lock").c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_EQ(flock(lock.get(), LOCK_EX | LOCK_NB), 0);
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(75));
  EXPECT_EQ(spark_.link("enp1s0f0np0")["mtu"], 1500);
  // Only changing is exclusive.
  EXPECT_THAT(spark_.reconcile({"plan"}), ExitsWith(0));
}

TEST_F(Apply, OfAnInvalidFileTouchesNothing) {
  spark_.file_with_links("enp1s0f0np0: { mtu: 9000, mtuu: 9000 }");
  const auto before = spark_.dump();
  const auto outcome = spark_.reconcile({"apply"});
  EXPECT_THAT(outcome, ExitsWith(5));
  EXPECT_THAT(outcome.err, HasSubstr("cluster.yaml:6:33: error: unknown key 'mtuu'"));
  EXPECT_EQ(spark_.dump(), before);
  EXPECT_FALSE(std::filesystem::exists(spark_.host_path("/var")));
}

TEST_F(Apply, WithoutRightsFailsAtOnce) {
  spark_.file_with_links("enp1s0f0np0: { addresses: [192.0.2.1/24] }");
  auto command = spark_.command({"apply"});
  command.as_nobody = true;
  for (const auto* verb :
       {"apply", "release", "confirm", "rollback", "history", "resume", "daemon"}) {
    command.argv = spark_.command({verb}).argv;
    const auto outcome = run(command);
    EXPECT_THAT(outcome, ExitsWith(1)) << verb;
    EXPECT_THAT(outcome.err, HasSubstr(std::string(verb) + " needs root: `sudo spark-reconcile "));
  }
  EXPECT_FALSE(std::filesystem::exists(spark_.host_path("/run")));
  // What root remembers is not for everyone to read.
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  command.argv = spark_.command({"events"}).argv;
  EXPECT_THAT(run(command).err, HasSubstr("root's alone, and no daemon shows it now: `sudo "));
  for (const auto* verb : {"validate", "plan", "status", "facts"}) {
    command.argv = spark_.command({verb}).argv;
    EXPECT_THAT(run(command), ExitsWith(0)) << verb;
  }
}

}  // namespace
}  // namespace spark::test
