// Kernel settings: the live value, the one of the next boot, and what was there before ours.

#include <string>

#include <fmt/format.h>

#include "process/spark.hpp"

namespace spark::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kKeepalive = "net.ipv4.tcp_keepalive_time";
constexpr const char* kOurFile = "/etc/sysctl.d/90-spark-reconcile.conf";

class Sysctls : public ::testing::Test {
 protected:
  Sysctls() { spark_.set_sysctl(kKeepalive, "7200"); }

  void want(const std::string& value) const {
    spark_.file(
        fmt::format("version: 1\ncluster: lab\nnodes: {{ spark1: {{}} }}\n"
                    "host: {{ sysctl: {{ {}: {} }} }}\n",
                    kKeepalive, value));
  }
  void want_nothing() const { spark_.file("version: 1\ncluster: lab\nnodes: { spark1: {} }\n"); }

  Spark spark_;
};

TEST_F(Sysctls, AreSetNowAndForTheNextBoot) {
  want("600");
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  EXPECT_EQ(spark_.sysctl(kKeepalive), "600");
  EXPECT_THAT(spark_.read(kOurFile), HasSubstr("net/ipv4/tcp_keepalive_time = 600\n"));
}

TEST_F(Sysctls, GetTheirOriginalBackWhenTheirLineGoes) {
  want("600");
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  want("900");
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  want_nothing();
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  EXPECT_EQ(spark_.sysctl(kKeepalive), "7200");
  EXPECT_FALSE(std::filesystem::exists(spark_.host_path(kOurFile)));
}

TEST_F(Sysctls, KeepWhatSomeoneElseSetSinceWhenTheirLineGoes) {
  want("600");
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  spark_.set_sysctl(kKeepalive, "1200");
  want_nothing();
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  EXPECT_EQ(spark_.sysctl(kKeepalive), "1200");
}

TEST_F(Sysctls, NameALaterFileThatWins) {
  want("600");
  spark_.write("/etc/sysctl.d/99-local.conf", fmt::format("# by hand\n{} = 300\n", kKeepalive));
  const auto outcome = spark_.reconcile({"apply"});
  EXPECT_THAT(outcome, ExitsWith(4));
  EXPECT_EQ(spark_.sysctl(kKeepalive), "600");
  const auto plan = spark_.reconcile({"plan"});
  EXPECT_THAT(plan.out, HasSubstr("/etc/sysctl.d/99-local.conf:2"));
  EXPECT_THAT(plan.out, HasSubstr("[SR-SYSCTL-003]"));
}

TEST_F(Sysctls, PassOverWhatIsNoFileAsTheBootDoes) {
  std::filesystem::create_directories(spark_.host_path("/etc/sysctl.d/55-d.conf"));
  std::filesystem::create_symlink("56-loop.conf", spark_.host_path("/etc/sysctl.d/56-loop.conf"));
  std::filesystem::create_symlink("absent", spark_.host_path("/etc/sysctl.d/57-nowhere.conf"));
  want("600");
  const auto plan = spark_.reconcile({"plan"});
  EXPECT_THAT(plan.out, HasSubstr("file /etc/sysctl.d/55-d.conf"));
  EXPECT_THAT(plan.out, HasSubstr("file /etc/sysctl.d/56-loop.conf"));
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  EXPECT_EQ(spark_.sysctl(kKeepalive), "600");
}

/// Both rails of cage 0 on one wire, and a neighbour on it.
class TwoRailsOnOneWire : public ::testing::Test {
 protected:
  TwoRailsOnOneWire() {
    wire(spark_, "enp1s0f0np0", neighbour_, "rail0");
    wire(spark_, "enP2p1s0f0np0", neighbour_, "rail1");
    neighbour_.ip(
        "link add wire type bridge\n"
        "link set rail0 master wire up\n"
        "link set rail1 master wire up\n"
        "link set wire up\n"
        "address add 192.0.2.12/24 dev wire");
    spark_.ip("link set enp1s0f0np0 up\nlink set enP2p1s0f0np0 up");
    spark_.file(R"(version: 1
cluster: pair
nodes:
  spark1: { number: 11 }
  spark2: { number: 12 }
fabric:
  cables:
    - { ends: [spark1:0, spark2:0], subnets: [192.0.2.0/24, 198.51.100.0/24] }
)");
  }

  /// Asks once who has rail 0's address, and waits for two answers or a second.
  [[nodiscard]] std::string ask() const {
    return run({.argv = {"arping", "-c2", "-w1", "-i9", "-Iwire", "192.0.2.11"},
                .network = neighbour_.network()})
        .out;
  }

  Spark spark_;
  Spark neighbour_{"spark2"};
};

TEST_F(TwoRailsOnOneWire, GiveOneAnswerToAnArpRequest) {
  spark_.ip("address add 192.0.2.11/24 dev enp1s0f0np0");
  ASSERT_THAT(ask(), HasSubstr("Received 2 response(s)"));
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(4));
  EXPECT_THAT(ask(), HasSubstr("Received 1 response(s)"));
}

TEST_F(TwoRailsOnOneWire, AnswerOnceAlsoWhereOneOfThemHasNoAddress) {
  spark_.file(R"(version: 1
cluster: pair
nodes:
  spark1: { cages: { 0: [enp1s0f0np0, enP2p1s0f0np0] } }
  spark2: { cages: { 0: [enp1s0f0np0, enP2p1s0f0np0] } }
fabric:
  mtu: 1500
  cables:
    - ends: { spark1:0: [192.0.2.11/24], spark2:0: [192.0.2.12/24] }
)");
  spark_.ip("address add 192.0.2.11/24 dev enp1s0f0np0");
  ASSERT_THAT(ask(), HasSubstr("Received 2 response(s)"));
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(4));
  EXPECT_EQ(spark_.sysctl("net.ipv4.conf.enP2p1s0f0np0.arp_ignore"), "1");
  EXPECT_THAT(ask(), HasSubstr("Received 1 response(s)"));
  EXPECT_THAT(spark_.reconcile({"release"}), ExitsWith(0));
  EXPECT_EQ(spark_.sysctl("net.ipv4.conf.enP2p1s0f0np0.arp_ignore"), "0");
}

TEST_F(TwoRailsOnOneWire, TakeNoRoutersWord) {
  ASSERT_EQ(spark_.sysctl("net.ipv6.conf.enp1s0f0np0.accept_ra"), "1");
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(4));
  EXPECT_EQ(spark_.sysctl("net.ipv6.conf.enp1s0f0np0.accept_ra"), "0");
  EXPECT_EQ(spark_.sysctl("net.ipv6.conf.enP2p1s0f0np0.accept_ra"), "0");
  EXPECT_THAT(spark_.reconcile({"release"}), ExitsWith(0));
  EXPECT_EQ(spark_.sysctl("net.ipv6.conf.enp1s0f0np0.accept_ra"), "1");
}

TEST_F(TwoRailsOnOneWire, WithoutIpv6HaveNoRouterUntilTheMtuGrows) {
  spark_.ip("link set enP2p1s0f0np0 mtu 1200");
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(4));
  EXPECT_EQ(spark_.json({"plan"})["steps"].size(), 0U);
  auto text = spark_.read("/etc/spark-reconcile/cluster.yaml");
  text.replace(text.find("fabric:\n"), 8, "fabric:\n  mtu: 9000\n");
  spark_.file(text);
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(4));
  EXPECT_EQ(spark_.sysctl("net.ipv6.conf.enP2p1s0f0np0.accept_ra"), "0");
}

TEST_F(TwoRailsOnOneWire, SaysThatAPortOfABridgeReachesNobody) {
  spark_.ip("link add br0 type bridge\nlink set enP2p1s0f0np0 master br0\nlink set br0 up");
  const auto outcome = spark_.reconcile({"plan"});
  EXPECT_THAT(outcome.out, HasSubstr("SR-ADDR-004"));
  EXPECT_THAT(outcome.out, HasSubstr("'enP2p1s0f0np0' is a port of the bridge 'br0'"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("'enp1s0f0np0' is a port")));
  EXPECT_THAT(spark_.reconcile({"status"}).out, HasSubstr("SR-ADDR-004"));
  EXPECT_THAT(spark_.reconcile({"gate"}).out, HasSubstr("a port of the bridge 'br0'"));
}

TEST_F(TwoRailsOnOneWire, SayWhichSettingOfAllLinksOverridesTheirs) {
  spark_.set_sysctl("net.ipv4.conf.all.arp_ignore", "2");
  const auto outcome = spark_.reconcile({"apply"});
  EXPECT_THAT(outcome, ExitsWith(4));
  EXPECT_THAT(outcome.out, HasSubstr("net.ipv4.conf.all.arp_ignore"));
  EXPECT_EQ(spark_.sysctl("net.ipv4.conf.enp1s0f0np0.arp_announce"), "2");
}

}  // namespace
}  // namespace spark::test
