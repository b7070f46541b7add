// The verb `init --from-host` on a real kernel: machines set up as guides do it, the file that init
// writes of them, and the plan of that file.

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "process/spark.hpp"

namespace spark::test {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;

class FromHost : public ::testing::Test {
 protected:
  FromHost() {
    for (const auto* rail : {"enp1s0f0np0", "enP2p1s0f0np0", "enp1s0f1np1", "enP2p1s0f1np1"}) {
      spark_.add_link(rail);
    }
    spark_.settle();
  }

  /// Writes the file, makes it this machine's, and gives its text.
  std::string init() {
    const auto path = spark_.host_path("/written.yaml").string();
    const auto outcome = spark_.reconcile({"init", "--from-host", "-o", path});
    EXPECT_THAT(outcome, ExitsWith(0));
    auto text = spark_.read("/written.yaml");
    spark_.file(text);
    return text;
  }

  /// The plan has no step but those that the file announces, and none that disturbs anything.
  void expect_plan_as_announced(const std::string& text) {
    const auto plan = spark_.json({"plan"});
    EXPECT_THAT(plan["refusals"], IsEmpty());
    for (const auto& step : plan["steps"]) {
      const auto name = step["kind"].get<std::string>() + " " + step["key"].get<std::string>();
      EXPECT_THAT(text, HasSubstr("#   " + name + ":"));
      EXPECT_EQ(step["disturbs"]["what"], "nothing") << name;
      EXPECT_THAT(
          name,
          MatchesRegex("sysctl net\\.ipv[46]\\.conf\\..*\\.(arp_ignore|arp_announce|accept_ra)"));
    }
  }

  Spark spark_;
};

constexpr const char* kTwoRails = R"(network:
  version: 2
  ethernets:
    enp1s0f1np1:
      mtu: 9000
      link-local: []
      addresses: [198.51.100.11/24]
    enP2p1s0f1np1:
      mtu: 9000
      link-local: []
      addresses: [203.0.113.11/24]
)";

TEST_F(FromHost, TwoRailsByNetplanKeepEveryValue) {
  spark_.write("/etc/netplan/40-cx7.yaml", kTwoRails);
  spark_.ip(
      "link set enp1s0f1np1 mtu 9000\nlink set enP2p1s0f1np1 mtu 9000\n"
      "address add 198.51.100.11/24 dev enp1s0f1np1\n"
      "address add 203.0.113.11/24 dev enP2p1s0f1np1\n");
  const auto before = spark_.dump();
  const auto text = init();
  EXPECT_THAT(text, AllOf(HasSubstr("# from netplan (the name of NVIDIA's playbook):\n"
                                    "          # /etc/netplan/40-cx7.yaml:4\n"),
                          HasSubstr("# /etc/netplan/40-cx7.yaml:8\n")));
  expect_plan_as_announced(text);
  EXPECT_EQ(spark_.dump(), before) << "init and plan only look";
  // What the plan announces is all that apply does: addresses and links stay as they are.
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  EXPECT_EQ(spark_.dump(), before);
  EXPECT_THAT(spark_.reconcile({"plan", "--detailed-exitcode"}), ExitsWith(0));
}

TEST_F(FromHost, WhatAGuideSetBesideTheRailsIsInTheFileOrInAComment) {
  spark_.ip(
      "address add 198.51.100.11/24 dev enp1s0f1np1\nlink set enp1s0f1np1 up\n"
      "route add 10.20.0.0/16 via 198.51.100.1 dev enp1s0f1np1 proto static\n");
  spark_.write("/etc/sysctl.d/90-rdma-tuning.conf",
               "net.ipv4.tcp_keepalive_time = 600\nkernel.sysrq = 1\nnet.no_such.key = 1\n"
               "net.ipv4.tcp_fastopen_key = swordfish\nkernel.printk = 4 4 1 7\n");
  spark_.write("/etc/security/limits.conf", "* soft memlock unlimited\n* hard memlock unlimited\n");
  spark_.write("/etc/hosts", "127.0.0.1 localhost\n198.51.100.12 spark2-fabric spark2\n");
  spark_.write("/etc/environment", "NCCL_IB_HCA=rocep1s0f1\nVLLM_API_KEY=swordfish\n");
  spark_.write("/etc/fstab", "//nas/models /models cifs _netdev,password=swordfish 0 0\n");
  const auto text = init();
  EXPECT_THAT(text, AllOf(HasSubstr("    # /etc/sysctl.d/90-rdma-tuning.conf:1 says 600\n"
                                    "    net.ipv4.tcp_keepalive_time: 7200\n"),
                          ContainsRegex("kernel.sysrq = 1  .*90-rdma-tuning.conf:2"),
                          ContainsRegex("net.no_such.key = 1  .*90-rdma-tuning.conf:3"),
                          ContainsRegex("  memlock: unlimited +# /etc/security/limits.conf:2")));
  EXPECT_THAT(text, AllOf(HasSubstr("198.51.100.12 spark2-fabric spark2  (/etc/hosts:2)"),
                          HasSubstr("NCCL_IB_HCA=rocep1s0f1  (/etc/environment:1)"),
                          HasSubstr("VLLM_API_KEY  (/etc/environment:2)"),
                          HasSubstr("#   /models cifs  (/etc/fstab:1)"),
                          HasSubstr("route 10.20.0.0/16 via 198.51.100.1 dev enp1s0f1np1"),
                          Not(HasSubstr("swordfish")), Not(HasSubstr("localhost"))));
  EXPECT_THAT(spark_.json({"plan"})["refusals"], IsEmpty());
}

TEST_F(FromHost, ALanInACageIsTheHostsAndTheWayIn) {
  spark_.ip(
      "address add 203.0.113.5/24 dev enp1s0f1np1\n"
      "route add default via 203.0.113.1 dev enp1s0f1np1 metric 100\n"
      "address add 198.51.100.10/24 dev enp1s0f0np0\n"
      "route add default via 198.51.100.1 dev enp1s0f0np0 metric 20102\n");
  const auto text = init();
  EXPECT_THAT(text, AllOf(HasSubstr("management: enp1s0f1np1"),
                          ContainsRegex("enp1s0f1np1: +# rail 0 of cage 1\n +owner: host"),
                          HasSubstr("spark1:0: [198.51.100.10/24]"), Not(HasSubstr("spark1:1"))));
  expect_plan_as_announced(text);
}

TEST_F(FromHost, ARouteThatARuleLeadsToIsNoWayToTheLan) {
  spark_.ip(
      "address add 198.51.100.10/24 dev enp1s0f0np0\n"
      "route add default via 198.51.100.1 dev enp1s0f0np0 table 100\n"
      "rule add from 198.51.100.10 table 100\n");
  EXPECT_THAT(init(), AllOf(Not(HasSubstr("management:")), Not(HasSubstr("owner: host"))));
}

TEST_F(FromHost, TopologiesPutNoCableIntoTheCageOfTheLan) {
  spark_.ip(
      "address add 203.0.113.5/24 dev enp1s0f0np0\nroute add default via 203.0.113.1 dev "
      "enp1s0f0np0\n");
  const auto pair = spark_.reconcile({"init", "--pair"});
  EXPECT_THAT(pair, ExitsWith(0));
  EXPECT_THAT(pair.out, AllOf(HasSubstr("management: enp1s0f0np0"), HasSubstr("spark1:1")));
  const auto ring = spark_.reconcile({"init", "--ring", "3"});
  EXPECT_THAT(ring, ExitsWith(1));
  EXPECT_THAT(ring.err, HasSubstr("cage 0 of this one is its way to the LAN"));
}

TEST_F(FromHost, APairKeepsTheSubnetsThatItsRailsHave) {
  spark_.ip(
      "address add 192.168.177.11/24 dev enp1s0f0np0\n"
      "address add 192.168.178.11/24 dev enP2p1s0f0np0\n");
  for (const auto& words :
       {std::vector<std::string>{"init", "--pair"}, {"init", "--switch", "3"}}) {
    const auto outcome = spark_.reconcile(words);
    EXPECT_THAT(outcome, ExitsWith(0));
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("subnets: [192.168.177.0/24, 192.168.178.0/24]"),
                                   HasSubstr("number: 11"), HasSubstr("number: 2"),
                                   HasSubstr("This machine's rails are in these already.")));
    EXPECT_THAT(outcome.err, Not(HasSubstr("already")));
  }
  spark_.ip("address add 192.168.178.12/24 dev enP2p1s0f0np0\n");
  EXPECT_THAT(spark_.reconcile({"init", "--pair"}).out, HasSubstr("192.168.179.0/24"))
      << "two addresses on a rail: which one is meant is not known";
}

TEST_F(FromHost, ATopologySaysThatRailsHaveAddressesAlready) {
  EXPECT_THAT(spark_.reconcile({"init", "--pair"}).err, Not(HasSubstr("already")));
  spark_.ip(
      "address add 192.168.177.11/24 dev enp1s0f0np0\n"
      "address add 192.168.178.11/24 dev enP2p1s0f0np0\n");
  const auto outcome = spark_.reconcile({"init", "--ring", "3"});
  EXPECT_THAT(outcome, ExitsWith(0));
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("enp1s0f0np0 192.168.177.11/24"),
                                 HasSubstr("enP2p1s0f0np0 192.168.178.11/24"),
                                 HasSubstr("`spark-reconcile init --from-host` writes")));
}

TEST_F(FromHost, OriginsThatDisagreeAreBothNamed) {
  spark_.write("/etc/netplan/40-cx7.yaml", kTwoRails);
  spark_.write("/run/NetworkManager/system-connections/fabric.nmconnection",
               "[connection]\nid=fabric\ntype=ethernet\ninterface-name=enP2p1s0f1np1\n"
               "[ethernet]\nmtu=4200\n");
  spark_.ip("link set enP2p1s0f1np1 mtu 4200\naddress add 198.51.100.11/24 dev enp1s0f1np1\n");
  const auto text = init();
  EXPECT_THAT(text, AllOf(HasSubstr("40-cx7.yaml:4"), HasSubstr("says 9000"),
                          HasSubstr("gone after a reboot")));
  EXPECT_THAT(text, ContainsRegex("from the kernel;[ #\n]+netplan [(]the"));
}

TEST_F(FromHost, OneRailByHandIsHalfTheCable) {
  spark_.ip("address add 198.51.100.10/24 dev enP2p1s0f1np1\n");
  const auto text = init();
  EXPECT_THAT(text,
              AllOf(HasSubstr("no file was found that sets it"), HasSubstr("half the cable")));
  expect_plan_as_announced(text);
}

TEST_F(FromHost, BothRailsInOneSubnetAreOnlyCompared) {
  spark_.ip(
      "address add 198.51.100.11/24 dev enp1s0f0np0\n"
      "address add 198.51.100.12/24 dev enP2p1s0f0np0\n");
  const auto text = init();
  EXPECT_THAT(text, AllOf(HasSubstr("SR-SPEC-103"), HasSubstr("had nothing to do here")));
  EXPECT_THAT(spark_.reconcile({"plan", "--detailed-exitcode"}), ExitsWith(0));
}

TEST_F(FromHost, LinkLocalAddressesAreExplained) {
  spark_.ip("address add 169.254.20.30/16 dev enp1s0f0np0 scope link\n");
  const auto text = init();
  EXPECT_THAT(text, AllOf(HasSubstr("169.254.20.30/16"), HasSubstr("it is link-local"),
                          Not(HasSubstr("- 169.254"))));
  EXPECT_THAT(spark_.reconcile({"plan", "--detailed-exitcode"}), ExitsWith(0));
}

TEST_F(FromHost, AServiceThatTakesUnusedRailsDownIsNamed) {
  spark_.write("/etc/systemd/system/unused-rails.service",
               "[Unit]\nDescription=Unused rails\n[Service]\nType=oneshot\n"
               "ExecStart=/usr/local/bin/unused-rails.sh\n");
  spark_.write("/usr/local/bin/unused-rails.sh",
               "#!/bin/bash\nip link set dev enp1s0f1np1 down\n"
               "ip link set dev enP2p1s0f0np0 mtu 9000\n");
  spark_.ip(
      "link set enp1s0f1np1 down\nlink set enP2p1s0f0np0 mtu 9000\n"
      "address add 198.51.100.11/24 dev enP2p1s0f0np0\n");
  const auto text = init();
  EXPECT_THAT(text,
              AllOf(HasSubstr("/usr/local/bin/unused-rails.sh:2, run by unused-rails.service"),
                    HasSubstr("/usr/local/bin/unused-rails.sh:3, run by unused-rails.service"),
                    HasSubstr("up: false")));
  expect_plan_as_announced(text);
}

TEST_F(FromHost, IPv6AndSeveralAddressesStay) {
  spark_.ip(
      "address add 198.51.100.11/24 dev enp1s0f0np0\n"
      "address add 198.51.100.111/24 dev enp1s0f0np0\n"
      "address add 2001:db8:1::11/64 dev enp1s0f0np0 nodad\n"
      "address add 203.0.113.11/30 dev enP2p1s0f0np0\n");
  const auto before = spark_.dump();
  const auto text = init();
  expect_plan_as_announced(text);
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  EXPECT_EQ(spark_.dump(), before);
}

TEST_F(FromHost, ShowsWhomTheKernelHasHeardFrom) {
  spark_.ip(
      "address add 198.51.100.11/24 dev enp1s0f0np0\n"
      "address add 203.0.113.11/24 dev enP2p1s0f0np0\n"
      "neighbour add 198.51.100.12 lladdr 02:00:5e:10:00:77 dev enp1s0f0np0 nud reachable\n");
  // With --root, paths below /proc are below the root: the kernel's own table goes there.
  std::stringstream table;
  in_network(spark_.network(),
             [&] { table << std::ifstream("/proc/thread-self/net/arp").rdbuf(); });
  ASSERT_THAT(table.str(), HasSubstr("198.51.100.12"));
  spark_.write("/proc/thread-self/net/arp", table.str());
  EXPECT_THAT(init(), HasSubstr("OTHER:CAGE: [198.51.100.12/24, ADDRESS]"));
}

TEST_F(FromHost, ASecondFileOfAnAppliedOneHasNothingToDo) {
  spark_.ip(
      "address add 198.51.100.11/24 dev enp1s0f0np0\n"
      "address add 203.0.113.11/24 dev enP2p1s0f0np0\n");
  static_cast<void>(init());
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  const auto again = spark_.reconcile({"init", "--from-host"});
  EXPECT_THAT(again, ExitsWith(0));
  EXPECT_THAT(again.out, HasSubstr("had nothing to do here"));
}

TEST(Init, NeedsNoRail) {
  const Spark bare;
  EXPECT_THAT(bare.reconcile({"init", "--pair"}), ExitsWith(0));
  const auto outcome = bare.reconcile({"init", "--from-host"});
  EXPECT_THAT(outcome, ExitsWith(1));
  EXPECT_THAT(outcome.err, HasSubstr("no rail of a ConnectX-7 is here"));
}

TEST(Init, TakesOneOfItsOptions) {
  const Spark bare;
  for (const auto& words :
       std::vector<std::vector<std::string>>{{"init"},
                                             {"init", "--pair", "--from-host"},
                                             {"init", "--ring", "5"},
                                             {"init", "--switch", "1"},
                                             {"init", "--switch", "255"},
                                             {"init", "--from-host", "--names", "a"}}) {
    EXPECT_THAT(bare.reconcile(words), ExitsWith(64)) << words.back();
  }
}

TEST(Init, NamesTheFileThatItWrote) {
  const Spark bare;
  const auto path = bare.host_path("/new.yaml").string();
  const auto said = bare.json({"init", "--pair", "-o", path});
  ASSERT_EQ(said["artifacts"].size(), 1U) << said;
  EXPECT_EQ(said["artifacts"][0]["path"], path);
  EXPECT_EQ(said["artifacts"][0]["type"], "application/yaml");
  EXPECT_EQ(said["artifacts"][0]["sha256"], said["digest"]);
  EXPECT_FALSE(bare.json({"init", "--pair"}).contains("artifacts"));
}

}  // namespace
}  // namespace spark::test
