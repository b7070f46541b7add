// `doctor`: says what is in the way of the node, and claims nothing that it cannot see.

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <unistd.h>

#include "host/linux/linux_files.hpp"
#include "process/spark.hpp"
#include "protocol/paths.hpp"
#include "protocol/web.hpp"
#include "unit/node_here.hpp"

namespace spark::test {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class Doctor : public ::testing::Test {
 protected:
  Doctor() { spark_.add_link("enp1s0f0np0"); }

  [[nodiscard]] std::string says(const std::vector<std::string>& words = {"doctor"}) const {
    const auto outcome = spark_.reconcile(words);
    EXPECT_THAT(outcome, ExitsWith(1));
    return outcome.out;
  }
  /// Of each row what was found.
  [[nodiscard]] std::string says_all() const { return says({"doctor", "-v"}); }

  Spark spark_;
};

TEST_F(Doctor, ClaimsNothingToOthersThatOnlyRootSees) {
  spark_.file_with_links("enp1s0f0np0: { mtu: 9000 }");
  ASSERT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  auto command = spark_.command({"doctor"});
  command.as_nobody = true;
  const auto outcome = run(command);
  EXPECT_THAT(outcome, ExitsWith(1));
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("sudo spark-reconcile doctor"), Not(HasSubstr("end that")),
                    Not(HasSubstr("move the file")), Not(HasSubstr("systemctl"))));
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("✓ file"), HasSubstr("✓ network"), Not(HasSubstr("✓ lock")),
                    Not(HasSubstr("✗ daemon")), Not(HasSubstr("✓ plan"))))
      << "what all can see is looked at";
}

TEST_F(Doctor, HasSectionsThreeLooksAndACount) {
  spark_.file("version: 2\n");
  spark_.ip("link add br0 type bridge\nlink set enp1s0f0np0 master br0");
  const auto text = says();
  EXPECT_THAT(text, AllOf(HasSubstr("program\n  ✗ daemon"), HasSubstr("\n  ✓ lock, "),
                          HasSubstr("file\n  ✗ file"), HasSubstr("network\n"),
                          ContainsRegex("\n[1-9] to fix(, [1-9] to look at)?\n")));
  const auto findings = spark_.json({"doctor"})["findings"];
  for (const auto& finding : findings) {
    EXPECT_EQ(finding["good"], finding["severity"] == "good") << finding;
    EXPECT_EQ(finding["remedy"] == "", finding["good"]) << finding;
  }
  const auto named = [&](const std::string& name) {
    return *std::ranges::find_if(findings, [&](const auto& each) { return each["name"] == name; });
  };
  EXPECT_EQ(named("lock")["severity"], "good");
  EXPECT_EQ(named("file")["severity"], "prevents");
  EXPECT_THAT(named("file")["what"].get<std::string>(),
              HasSubstr("has errors, the first in line 1: "));
  EXPECT_EQ(named("port")["section"], "network");
}

TEST_F(Doctor, PutsFirstWhatTheRestFollowsFrom) {
  spark_.file(R"(version: 1
cluster: pair
nodes: { spark1: { number: 11 }, spark2: { number: 12 } }
fabric:
  cables:
    - { ends: [spark1:1, spark2:1], subnets: [192.0.2.0/24, 198.51.100.0/24] }
)");
  const auto text = says();
  EXPECT_THAT(text, AllOf(HasSubstr("✗ rails      none of the rails of the file is here"),
                          ContainsRegex("[12] more follows? from this: -v shows (it|them)"),
                          Not(HasSubstr("✗ skipped"))));
  EXPECT_THAT(spark_.reconcile({"doctor", "-v"}).out,
              AllOf(HasSubstr("✗ skipped"), Not(HasSubstr("from this: -v"))));
  const auto findings = spark_.json({"doctor"})["findings"];
  EXPECT_TRUE(std::ranges::any_of(findings, [](const auto& finding) {
    return finding["name"] == "skipped" && finding["follows_from"] == "rails";
  })) << findings;
}

TEST_F(Doctor, NamesWhatDiffersAndWhatIsSkipped) {
  spark_.file_with_links(
      "enp1s0f0np0: { mtu: 9000 }\nenp1s0f1np1: { mtu: 9000, addresses: [192.0.2.1/24] }");
  EXPECT_THAT(
      says(),
      AllOf(HasSubstr("1 resource differs from the file: mtu enp1s0f0np0"),
            HasSubstr("mtu enp1s0f1np1, address enp1s0f1np1 192.0.2.1, sysctl net.ipv4.conf."),
            HasSubstr("[SR-LINK-001]")));
  spark_.file_with_links("enp1s0f0np0: { mtu: 9000 }");
  ASSERT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  EXPECT_THAT(says(), ContainsRegex("\nfile +✓ file, (last good, )?plan\n"));
  EXPECT_THAT(says_all(), HasSubstr("all 1 resource are as the file says"));
}

TEST_F(Doctor, NamesACageWithoutItsCable) {
  spark_.add_link("enP2p1s0f0np0");
  spark_.file(R"(version: 1
cluster: pair
nodes: { spark1: { number: 11 }, spark2: { number: 12 } }
fabric:
  cables:
    - { ends: [spark1:0, spark2:0], subnets: [192.0.2.0/24, 198.51.100.0/24] }
)");
  ASSERT_THAT(spark_.reconcile({"apply"}), ExitsWith(4));
  EXPECT_THAT(says(), Not(HasSubstr("carrier")));
  spark_.ip("link set x-enp1s0f0np0 down\nlink set x-enP2p1s0f0np0 down");
  EXPECT_THAT(says(), HasSubstr("no carrier in cage 0: enP2p1s0f0np0, enp1s0f0np0"));
}

TEST_F(Doctor, SaysWhetherSparkPeersCanReadTheKeyOfTheNodes) {
  constexpr const char* kKey = "/etc/spark-reconcile/peers.key";
  constexpr gid_t kPeersGroup = 64123;
  const std::string links = "links:\n      enp1s0f0np0: { mtu: 9000 }\n";
  const auto file = [&](const std::string& ready) {
    spark_.file("version: 1\ncluster: lab\nnodes:\n  spark1:\n    " + links + ready);
  };
  spark_.write("/etc/passwd", "spark-peers:x:64123:64123::/:/bin/false\n");
  file("");
  EXPECT_THAT(says(), Not(HasSubstr(" key ")));
  file("ready: { key_file: /etc/spark-reconcile/peers.key }\n");
  EXPECT_THAT(says(),
              AllOf(HasSubstr("✗ key"), HasSubstr("there is no '/etc/spark-reconcile/peers.key'"),
                    HasSubstr("[SR-PEERS-001]")));
  spark_.write(kKey, std::string(64, 'e') + "\n");
  const auto path = spark_.host_path(kKey);
  std::filesystem::permissions(path, std::filesystem::perms{0600});
  EXPECT_THAT(says(),
              AllOf(HasSubstr("✗ key"), HasSubstr("cannot be read by spark-peers"),
                    HasSubstr("sudo chown root:spark-peers /etc/spark-reconcile/peers.key")));
  ASSERT_EQ(chown(path.c_str(), 0, kPeersGroup), 0);
  std::filesystem::permissions(path, std::filesystem::perms{0644});
  EXPECT_THAT(says(), AllOf(HasSubstr("✗ key"), HasSubstr("is open to everybody")));
  std::filesystem::permissions(path, std::filesystem::perms{0640});
  EXPECT_THAT(says_all(),
              AllOf(Not(HasSubstr("✗ key")), HasSubstr("root and spark-peers alone read it"),
                    Not(HasSubstr(std::string(8, 'e')))));
  file("ready: { peers: off, key_file: /etc/spark-reconcile/peers.key }\n");
  EXPECT_THAT(says(), Not(HasSubstr(" key ")));
}

TEST_F(Doctor, NamesAFixedGidIndexThatAGuideLeft) {
  spark_.file_with_links("enp1s0f0np0: { mtu: 9000 }");
  EXPECT_THAT(says(), Not(HasSubstr("leftover")));
  spark_.write("/etc/profile.d/nccl-env.sh", "export NCCL_IB_GID_INDEX=3\n");
  EXPECT_THAT(says(), AllOf(HasSubstr("! leftover"), HasSubstr("line 1 NCCL_IB_GID_INDEX=3"),
                            HasSubstr("in force in login shells"), HasSubstr("[SR-ENV-009]"),
                            HasSubstr("sudo sed -i '1s/^/# /' /etc/profile.d/nccl-env.sh")));
  spark_.write("/etc/profile.d/zz.sh", "unset NCCL_IB_GID_INDEX\n");
  EXPECT_THAT(says_all(), AllOf(Not(HasSubstr("! leftover")), HasSubstr("not in force")));
}

TEST_F(Doctor, NamesWhatMakesTheTrafficOfARailLeaveElsewhere) {
  spark_.file_with_links("enp1s0f0np0: { mtu: 9000 }");
  EXPECT_THAT(says(), HasSubstr("✓ network"));
  spark_.add_link("eth0");
  spark_.ip(
      "address add 192.0.2.5/24 dev eth0\naddress add 192.0.2.11/24 dev enp1s0f0np0\n"
      "route add default via 192.0.2.1 dev enp1s0f0np0");
  EXPECT_THAT(says(),
              AllOf(HasSubstr("! route      enp1s0f0np0 has a default route"),
                    HasSubstr("192.0.2.11/24 on enp1s0f0np0 and 192.0.2.5/24 on eth0 are in "
                              "one subnet"),
                    Not(HasSubstr("✓ network"))));
  spark_.ip("link add br0 type bridge\nlink set enp1s0f0np0 master br0");
  EXPECT_THAT(says(), AllOf(HasSubstr("✗ port       enp1s0f0np0 is a port of the bridge 'br0'"),
                            HasSubstr("enp1s0f0np0: the default route leaves by it"),
                            Not(HasSubstr("nomaster")), Not(HasSubstr("ip route del"))));
  spark_.ip("route del default");
  EXPECT_THAT(says(), HasSubstr("sudo ip link set enp1s0f0np0 nomaster"));
}

TEST_F(Doctor, NamesAnUnmanagedRailThatTakesWhatARouterSays) {
  spark_.add_link("enp1s0f1np1");
  for (const auto* rail : {"enp1s0f0np0", "enp1s0f1np1"}) {
    spark_.set_sysctl(std::string("net/ipv6/conf/") + rail + "/accept_ra", "1");
  }
  spark_.file_with_links("enp1s0f0np0: { mtu: 9000 }");
  EXPECT_THAT(says(), HasSubstr("! adverts    enp1s0f1np1 accepts router advertisements"));
  spark_.set_sysctl("net/ipv6/conf/enp1s0f1np1/accept_ra", "0");
  EXPECT_THAT(says(), Not(HasSubstr("adverts")));
}

TEST_F(Doctor, NamesWhatAGuideLeft) {
  spark_.file_with_links("enp1s0f0np0: { mtu: 9000 }");
  spark_.write("/etc/systemd/system/rails.service",
               "[Service]\nExecStart=/sbin/ip link set enp1s0f0np0 mtu 9000\n");
  spark_.write("/etc/fstab", "/dev/nvme2n1 /models xfs _netdev 0 0\n");
  EXPECT_THAT(says(), AllOf(HasSubstr("✓ managers"), HasSubstr("! fstab      line 1 of")));
  spark_.write("/etc/systemd/system/multi-user.target.wants/rails.service", "");
  EXPECT_THAT(says(), AllOf(HasSubstr("! guide      '/etc/systemd/system/rails.service' sets up "
                                      "enp1s0f0np0 too"),
                            HasSubstr("`sudo systemctl disable rails.service`")));
}

TEST_F(Doctor, SaysThatTheCableIsInTheOtherCage) {
  for (const auto* rail : {"enP2p1s0f0np0", "enp1s0f1np1", "enP2p1s0f1np1"}) {
    spark_.add_link(rail);
  }
  spark_.file(R"(version: 1
cluster: pair
nodes: { spark1: { number: 11 }, spark2: { number: 12 } }
fabric:
  cables:
    - { ends: [spark1:1, spark2:1], subnets: [192.0.2.0/24, 198.51.100.0/24] }
)");
  spark_.ip("link set x-enp1s0f1np1 down\nlink set x-enP2p1s0f1np1 down");
  ASSERT_THAT(spark_.reconcile({"apply"}), ExitsWith(4));
  const auto advice = HasSubstr(
      "cage 0 has a carrier and is not in the file: move the plug, or write spark1:0 in `ends`");
  EXPECT_THAT(says(), AllOf(HasSubstr("no carrier in cage 1"), advice));
  EXPECT_THAT(spark_.reconcile({"gate"}).out, advice);
}

TEST_F(Doctor, NamesWhatTheDaemonLeavesAlone) {
  spark_.file_with_links("enp1s0f0np0: { mtu: 9000 }");
  ASSERT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  auto state = node_not_ready("mtu enp1s0f0np0");
  state.drifts = {{.kind = "mtu",
                   .key = "enp1s0f0np0",
                   .state = node_state::Drift::State::kContested,
                   .why = "corrected 3 times in 10 min",
                   .remedy = "stop who sets it"}};
  spark_.write(protocol::kNodeStateFile, node_state_text(state));
  host::LinuxFiles files(spark_.host_path("/"));
  const auto running = files.lock(protocol::kDaemonLockFile);
  ASSERT_TRUE(running);
  EXPECT_THAT(says(),
              AllOf(HasSubstr("it leaves alone mtu enp1s0f0np0: contested"),
                    HasSubstr("→ stop who sets it"), HasSubstr("not ready: mtu enp1s0f0np0")));
}

TEST_F(Doctor, CountsBelowItsCauseWhatTwoChecksSay) {
  spark_.file_with_links("enp1s0f0np0: { mtu: 9000 }");
  spark_.write("/var/lib/spark-reconcile/spark1/ledger.json", "{}");
  EXPECT_THAT(says(), AllOf(HasSubstr("✗ ledger"), HasSubstr("1 more follows from this"),
                            Not(HasSubstr("✗ plan"))));
  spark_.write("/var/lib/spark-reconcile/spark1/ledger.json",
               R"({"schema": "spark-reconcile/ledger/v1", "ledger": {}})");
  EXPECT_THAT(says(), HasSubstr("✗ plan"));
  spark_.write("/var/lib/spark-reconcile/spark1/journal.json", "{}");
  EXPECT_THAT(says(), AllOf(HasSubstr("✗ journal"), HasSubstr("2 more follow from this"),
                            Not(HasSubstr("✗ ledger"))));
}

TEST_F(Doctor, CountsBelowTheDaemonWhatItLeavesAloneOrRefuses) {
  spark_.file_with_links("enp1s0f0np0: { mtu: 9000 }");
  auto state = ready_node();
  state.drifts = {{.kind = "mtu",
                   .key = "enp1s0f0np0",
                   .state = node_state::Drift::State::kContested,
                   .why = "3 times",
                   .on = {.link = "enp1s0f0np0", .ip = {}}}};
  spark_.write(protocol::kNodeStateFile, node_state_text(state));
  host::LinuxFiles files(spark_.host_path("/"));
  const auto running = files.lock(protocol::kDaemonLockFile);
  ASSERT_TRUE(running);
  EXPECT_THAT(says(),
              AllOf(HasSubstr("it leaves alone mtu enp1s0f0np0"), Not(HasSubstr("✗ plan"))));
}

TEST_F(Doctor, AnApplyBesideItIsNotBusy) {
  spark_.file_with_links("enp1s0f0np0: { mtu: 9000 }");
  ASSERT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  // Who takes a lock writes their number into it.
  const auto taken_by = spark_.read(protocol::kLockFile);
  ASSERT_FALSE(taken_by.empty());
  EXPECT_THAT(says_all(), AllOf(HasSubstr("nobody changes this machine now"),
                                HasSubstr("it does not run: no drift is corrected")));
  EXPECT_EQ(spark_.read(protocol::kLockFile), taken_by) << "it was taken for a moment";
  EXPECT_FALSE(std::filesystem::exists(spark_.host_path(protocol::kDaemonLockFile)))
      << "a daemon that starts beside it would end";
}

TEST_F(Doctor, NamesWhoChangesTheMachine) {
  host::LinuxFiles files(spark_.host_path("/"));
  const auto at_work = files.lock(protocol::kLockFile);
  ASSERT_TRUE(at_work);
  EXPECT_THAT(says(), HasSubstr("lock '/run/spark-reconcile/apply/lock': held by process " +
                                std::to_string(getpid())));
}

}  // namespace
}  // namespace spark::test
