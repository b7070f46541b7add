// What was there before the first apply comes back: at a release, when a line goes, and when an
// apply or a release is rolled back.

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "fake/names.hpp"
#include "process/monitor.hpp"
#include "process/spark.hpp"
#include "protocol/paths.hpp"

namespace spark::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr const char* kSysctlKey = "net.ipv4.tcp_keepalive_time";
constexpr const char* kSysctlFile = "/etc/sysctl.d/90-spark-reconcile.conf";

class Release : public ::testing::Test {
 protected:
  Release() {
    spark_.add_link(kRail);
    spark_.set_sysctl(kSysctlKey, "7200");
  }

  void apply_links(const std::string& links) const {
    spark_.file_with_links(links);
    EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  }
  void apply_setting(const std::string& settings) const {
    spark_.file("version: 1\ncluster: lab\nnodes: { spark1: {} }\nhost: { sysctl: { " + settings +
                " } }\n");
    EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  }
  /// A pair over cage 0 with a hosts block.
  void apply_hosts() const {
    spark_.add_link("enP2p1s0f0np0");
    spark_.file(R"(version: 1
cluster: pair
nodes:
  spark1: { number: 11 }
  spark2: { number: 12 }
fabric:
  cables:
    - { ends: [spark1:0, spark2:0], subnets: [192.0.2.0/24, 198.51.100.0/24] }
host: { hosts: { suffix: -fabric } }
)");
    // There are no RDMA devices here.
    EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(4));
    EXPECT_THAT(spark_.read("/etc/hosts"), HasSubstr("spark2-fabric"));
  }
  void release() const { EXPECT_THAT(spark_.reconcile({"release"}), ExitsWith(0)); }

  /// Dies before its n-th change of a file's name.
  [[nodiscard]] Outcome killed(const std::string& verb, int nth) const {
    auto command = spark_.command({verb});
    command.argv.insert(command.argv.begin(),
                        {"strace", "-qq", "-o", "/dev/null", "-e", "trace=renameat,unlinkat", "-e",
                         fmt::format("inject=renameat,unlinkat:signal=KILL:when={}", nth)});
    command.environment = {"ASAN_OPTIONS=detect_leaks=0"};  // which cannot be done under strace
    return run(command);
  }

  Spark spark_;
};

TEST_F(Release, ASettingThatIsAgainAsItWasBeforeUsCanLeaveTheFile) {
  apply_setting(fmt::format("{}: 600", kSysctlKey));
  apply_setting(fmt::format("{}: 7200", kSysctlKey));
  spark_.file("version: 1\ncluster: lab\nnodes: { spark1: {} }\n");
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  EXPECT_EQ(spark_.sysctl(kSysctlKey), "7200");
  EXPECT_THAT(spark_.read(kSysctlFile), IsEmpty());
  release();
}

TEST_F(Release, RestoresTheValueFromBeforeTheFirstApply) {
  spark_.set_sysctl(kSysctlKey, "600");
  apply_setting(fmt::format("{}: 600", kSysctlKey));
  spark_.set_sysctl(kSysctlKey, "1200");
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  release();
  EXPECT_EQ(spark_.sysctl(kSysctlKey), "600");
}

TEST_F(Release, OwesASettingThatCannotBeReadWhatItHad) {
  apply_setting(fmt::format("{}: 600", kSysctlKey));
  auto command = spark_.command({"release"});
  // A sysctl of mode 0200: the kernel lets nobody read it, root neither.
  command.argv.insert(command.argv.begin(),
                      {"unshare", "--mount", "sh", "-c",
                       R"(mount --bind /proc/sys/net/ipv4/route/flush "$0" && exec "$@")",
                       "/proc/sys/net/ipv4/tcp_keepalive_time"});
  const auto blind = run(command);
  EXPECT_THAT(blind, ExitsWith(4));
  EXPECT_THAT(blind.out, HasSubstr(kSysctlKey));
  EXPECT_EQ(spark_.sysctl(kSysctlKey), "600");
  release();
  EXPECT_EQ(spark_.sysctl(kSysctlKey), "7200");
}

TEST_F(Release, OnAReadOnlyEtcChangesNothing) {
  spark_.file(
      fmt::format("version: 1\ncluster: lab\nnodes:\n  spark1:\n    links: {{ {}: {{ "
                  "addresses: [192.0.2.1/24] }} }}\nhost: {{ sysctl: {{ {}: 600 }} }}\n",
                  kRail, kSysctlKey));
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  const auto before = spark_.dump();
  Monitor monitor(spark_.network());
  auto command = spark_.command({"release"});
  command.argv.insert(command.argv.begin(),
                      {"unshare", "--mount", "sh", "-c",
                       R"(mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@")",
                       spark_.host_path("/etc").string()});
  const auto refused = run(command);
  EXPECT_THAT(refused, ExitsWith(1));
  EXPECT_THAT(refused.err, AllOf(HasSubstr("'/etc/sysctl.d' is on a read-only file system"),
                                 HasSubstr("Nothing was changed")));
  EXPECT_THAT(monitor.take_addresses(), IsEmpty());
  EXPECT_EQ(spark_.dump(), before);
  EXPECT_EQ(spark_.sysctl(kSysctlKey), "600");
  release();
  EXPECT_EQ(spark_.sysctl(kSysctlKey), "7200");
}

TEST_F(Release, OfADiskThatIsFullAnApplyIsToldBeforeItsFirstChange) {
  spark_.file_with_links(fmt::format("{}: {{ addresses: [192.0.2.1/24] }}", kRail));
  std::filesystem::create_directories(spark_.host_path("/var/lib/spark-reconcile"));
  auto command = spark_.command({"apply"});
  // Room for the journal, and not for what is noted of an apply.
  command.argv.insert(command.argv.begin(),
                      {"unshare", "--mount", "sh", "-c",
                       R"(mount -t tmpfs -o size=48k,mode=0755 t "$0" && exec "$@")",
                       spark_.host_path("/var/lib/spark-reconcile").string()});
  const auto refused = run(command);
  EXPECT_THAT(refused, ExitsWith(1));
  EXPECT_THAT(refused.err, AllOf(HasSubstr("is full: see `df -h /var/lib/spark-reconcile"),
                                 HasSubstr("Nothing was changed")));
  EXPECT_THAT(spark_.addresses(kRail), IsEmpty());
}

TEST_F(Release, LeavesNoDirectoryThatAnotherProcessMade) {
  const auto sysctl_d = spark_.host_path("/etc/sysctl.d");
  std::filesystem::remove(sysctl_d);  // if it is empty
  ASSERT_FALSE(std::filesystem::exists(sysctl_d));
  apply_setting(fmt::format("{}: 600", kSysctlKey));
  ASSERT_TRUE(std::filesystem::exists(sysctl_d));
  if (setxattr(sysctl_d.c_str(), "user.spark-reconcile.test", "", 0, 0) != 0) {
    GTEST_SKIP() << "this file system keeps no marks: " << std::generic_category().message(errno);
  }
  release();
  EXPECT_FALSE(std::filesystem::exists(sysctl_d));
  // Whoever made it keeps it.
  std::filesystem::create_directory(sysctl_d);
  apply_setting(fmt::format("{}: 600", kSysctlKey));
  release();
  EXPECT_TRUE(std::filesystem::exists(sysctl_d));
}

TEST_F(Release, RestoresAValueThatSomebodyHasChangedSince) {
  apply_setting(fmt::format("{}: 600", kSysctlKey));
  spark_.set_sysctl(kSysctlKey, "1200");
  spark_.file("version: 1\ncluster: lab\nnodes: { spark1: {} }\n");
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  EXPECT_EQ(spark_.sysctl(kSysctlKey), "1200") << "somebody else's";
  release();
  EXPECT_EQ(spark_.sysctl(kSysctlKey), "7200");
}

TEST_F(Release, LeavesALinkLocalModeThatWasNeverAskedFor) {
  apply_links(fmt::format("{}: {{ up: true }}", kRail));
  spark_.ip(fmt::format("link set {} addrgenmode none", kRail));
  const auto mode = [&] { return spark_.link(kRail)["inet6_addr_gen_mode"]; };
  release();
  EXPECT_EQ(mode(), "none") << "somebody else's";
}

TEST_F(Release, RestoresALinkLocalModeThatALaterFileAskedFor) {
  apply_links(fmt::format("{}: {{ up: true }}", kRail));
  const auto mode = [&] { return spark_.link(kRail)["inet6_addr_gen_mode"]; };
  const auto before = mode();
  apply_links(fmt::format("{}: {{ up: true, link_local: none }}", kRail));
  ASSERT_EQ(mode(), "none");
  release();
  EXPECT_EQ(mode(), before);
}

TEST_F(Release, RestoresALinksOwnSettingAndNotThatOfAll) {
  spark_.set_sysctl("net.ipv4.conf.all.arp_announce", "2");
  apply_setting(fmt::format("net/ipv4/conf/{}/arp_announce: 2", kRail));
  spark_.set_sysctl("net.ipv4.conf.all.arp_announce", "0");
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  EXPECT_EQ(spark_.sysctl(fmt::format("net.ipv4.conf.{}.arp_announce", kRail)), "2");
  release();
  EXPECT_EQ(spark_.sysctl(fmt::format("net.ipv4.conf.{}.arp_announce", kRail)), "0");
}

TEST_F(Release, OwesADeviceThatIsAwayWhatItHad) {
  apply_links(fmt::format("{}: {{ mtu: 9000, up: true }}", kRail));
  spark_.ip(fmt::format("link set {0} down\nlink set {0} name away0", kRail));
  EXPECT_THAT(spark_.reconcile({"release"}), ExitsWith(3));
  spark_.ip(fmt::format("link set away0 name {0}\nlink set {0} up", kRail));
  EXPECT_EQ(spark_.link(kRail)["mtu"], 9000);
  release();
  EXPECT_EQ(spark_.link(kRail)["mtu"], 1500);
}

TEST_F(Release, LeavesAnAddressThatSomebodyMade) {
  spark_.ip(fmt::format("address add 192.0.2.1/24 metric 77 dev {}", kRail));
  const auto before = spark_.show({"address", "show", "dev", kRail});
  Monitor monitor(spark_.network());
  apply_links(fmt::format("{}: {{ addresses: [192.0.2.1/24] }}", kRail));
  apply_links(fmt::format("{}: {{ addresses: [] }}", kRail));
  apply_links(fmt::format("{}: {{ addresses: [192.0.2.1/24] }}", kRail));
  release();
  EXPECT_THAT(monitor.take_addresses(), IsEmpty());
  // It is still theirs where it was lost and mended.
  apply_links(fmt::format("{}: {{ addresses: [192.0.2.1/24] }}", kRail));
  spark_.ip(fmt::format("address del 192.0.2.1/24 dev {}", kRail));
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  release();
  EXPECT_EQ(spark_.show({"address", "show", "dev", kRail}), before);
}

TEST_F(Release, RestoresTheLengthThatSomebodyGaveAnAddress) {
  spark_.ip(fmt::format("address add 192.0.2.1/24 dev {}", kRail));
  apply_links(fmt::format("{}: {{ addresses: [192.0.2.1/25] }}", kRail));
  release();
  EXPECT_THAT(spark_.addresses(kRail), ElementsAre("192.0.2.1/24"));
}

// G1: what was there before was forgotten with the line.
TEST_F(Release, RestoresALengthOfALinkThatWasLeftToTheHostSince) {
  spark_.ip("address add 192.0.2.7/25 dev enp1s0f0np0");
  for (const auto* owner : {"", "owner: host, "}) {
    spark_.file_with_links(fmt::format("enp1s0f0np0: {{ {}addresses: [192.0.2.7/24] }}", owner));
    EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
    EXPECT_THAT(spark_.addresses("enp1s0f0np0"), ElementsAre("192.0.2.7/24"));
  }
  EXPECT_THAT(spark_.reconcile({"release"}), ExitsWith(0));
  EXPECT_THAT(spark_.addresses("enp1s0f0np0"), ElementsAre("192.0.2.7/25"));
}

TEST_F(Release, RestoresWhatExclusiveTookAndNotWhatCameSince) {
  spark_.ip(
      fmt::format("address add 192.0.2.1/24 dev {0}\naddress add 192.0.2.1/16 dev {0}", kRail));
  apply_links(fmt::format("{}: {{ exclusive: true, addresses: [198.51.100.1/24] }}", kRail));
  EXPECT_THAT(spark_.addresses(kRail), ElementsAre("198.51.100.1/24"));
  spark_.ip(fmt::format("address add 203.0.113.9/24 dev {}", kRail));
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  release();
  EXPECT_THAT(spark_.addresses(kRail), ElementsAre("192.0.2.1/16", "192.0.2.1/24"));
}

TEST_F(Release, OnceConvergedNothingIsWrittenOfWhatWasFound) {
  spark_.ip(fmt::format("address add 192.0.2.1/24 dev {}", kRail));
  apply_links(fmt::format("{}: {{ exclusive: true, addresses: [192.0.2.1/24] }}", kRail));
  const auto ledger = spark_.host_path("/var/lib/spark-reconcile/spark1/ledger.json");
  ASSERT_TRUE(std::filesystem::exists(ledger));
  const auto inode = [&] {
    struct stat status{};
    EXPECT_EQ(stat(ledger.c_str(), &status), 0);
    return status.st_ino;  // each write is another file
  };
  const auto before = inode();
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  EXPECT_EQ(inode(), before);
}

TEST_F(Release, KilledAnywhereIsRolledBack) {
  spark_.write("/etc/hosts", "127.0.0.1 localhost\n");
  apply_hosts();
  spark_.write("/etc/hosts", spark_.read("/etc/hosts") + "203.0.113.1 printer\n");
  const auto before = spark_.dump();
  const auto hosts = spark_.read("/etc/hosts");
  const auto settings = spark_.read(kSysctlFile);
  int kills = 0;
  for (int nth = 1; killed("release", nth).code != 0; ++nth, ++kills) {
    ASSERT_LT(nth, 100);
    // The first ones remove what was left before, and make the journal.
    const auto journal = spark_.host_path("/var/lib/spark-reconcile/spark1/journal.json");
    const bool had_begun = std::filesystem::exists(journal);
    const auto rollback = spark_.reconcile({"rollback"});
    if (had_begun) {
      EXPECT_THAT(rollback, ExitsWith(0)) << nth;
    }
    EXPECT_EQ(spark_.dump(), before) << nth;
    EXPECT_EQ(spark_.read("/etc/hosts"), hosts) << nth;
    EXPECT_EQ(spark_.read(kSysctlFile), settings) << nth;
    if (HasFailure()) return;
  }
  EXPECT_GT(kills, 4);
  EXPECT_EQ(spark_.read("/etc/hosts"), "127.0.0.1 localhost\n203.0.113.1 printer\n");
}

TEST_F(Release, NeedsNoClusterFile) {
  apply_links(fmt::format("{}: {{ mtu: 9000, addresses: [192.0.2.1/24] }}", kRail));
  const auto good = spark_.read(protocol::kDefaultFile);
  for (const auto& broken : {std::string("version: [\n"), good + "nodes: 7\n",
                             std::string("version: 1\ncluster: x\nnodes: { another: {} }\n")}) {
    spark_.file(broken);
    EXPECT_THAT(spark_.reconcile({"plan", "--release"}).out, HasSubstr("9000 → 1500")) << broken;
    const auto outcome = spark_.reconcile({"release"});
    EXPECT_THAT(outcome, ExitsWith(0)) << broken;
    EXPECT_THAT(outcome.err,
                HasSubstr("node 'spark1' gets back what was there before its first apply"));
    EXPECT_EQ(spark_.link(kRail)["mtu"], 1500);
    EXPECT_THAT(spark_.addresses(kRail), IsEmpty());
    spark_.file(good);
    ASSERT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  }
  std::filesystem::remove(spark_.host_path(protocol::kDefaultFile));
  release();
  EXPECT_EQ(spark_.link(kRail)["mtu"], 1500);
}

TEST_F(Release, SaysSoWhereNothingWasApplied) {
  const auto outcome = spark_.reconcile({"release"});
  EXPECT_THAT(outcome, ExitsWith(1));
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("cluster.yaml"), HasSubstr("nothing was applied here")));
}

TEST_F(Release, BringsTheLinkLocalAddressBackAtOnce) {
  spark_.set_sysctl(fmt::format("net.ipv6.conf.{}.addr_gen_mode", kRail), "0");
  const auto before = spark_.addresses(kRail);
  ASSERT_THAT(before, ElementsAre(StartsWith("fe80::")));
  apply_links(fmt::format("{}: {{ link_local: none }}", kRail));
  ASSERT_THAT(spark_.addresses(kRail), IsEmpty());
  release();
  EXPECT_EQ(spark_.addresses(kRail), before);
}

TEST_F(Release, LeavesTheHostsFileByteForByte) {
  for (const auto* const text : {"127.0.0.1 localhost", "127.0.0.1 localhost\n", ""}) {
    spark_.write("/etc/hosts", text);
    apply_hosts();
    EXPECT_THAT(spark_.reconcile({"release"}), ExitsWith(0));
    ASSERT_TRUE(std::filesystem::exists(spark_.host_path("/etc/hosts")));
    EXPECT_EQ(spark_.read("/etc/hosts"), text);
    spark_.ip("link del enP2p1s0f0np0");
  }
}

TEST_F(Release, AFailedApplyLeavesModeAndOwnerOfOurFile) {
  apply_setting(fmt::format("{}: 600", kSysctlKey));
  const auto file = spark_.host_path(kSysctlFile);
  ASSERT_EQ(chmod(file.c_str(), 0640), 0);
  ASSERT_EQ(chown(file.c_str(), 0, 12), 0);
  // The last of our lines goes, and with it the file; then the kernel refuses a value.
  spark_.file(
      "version: 1\ncluster: lab\nnodes: { spark1: {} }\n"
      "host: { sysctl: { net.ipv4.tcp_syn_retries: 1000 } }\n");
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(7));
  struct stat status{};
  ASSERT_EQ(stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0640U);
  EXPECT_EQ(status.st_gid, 12U);
}

/// What an apply that fails in the end leaves.
class FailedApply : public Release {
 protected:
  void expect_rolled_back(const std::string& links) const {
    spark_.file(
        fmt::format("version: 1\ncluster: lab\nnodes: {{ spark1: {{ links: {{ {} }} }} }}\n"
                    "host: {{ sysctl: {{ net.ipv4.tcp_syn_retries: 1000 }} }}\n",
                    links));
    const auto before = spark_.dump();
    EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(7));
    EXPECT_EQ(spark_.dump(), before);
  }
};

TEST_F(FailedApply, PutsOurPrimaryBackBeforeItsForeignSecondaries) {
  apply_links(fmt::format("{}: {{ addresses: [192.0.2.1/24] }}", kRail));
  spark_.ip(
      fmt::format("address add 192.0.2.9/24 metric 7 dev {0}\n"
                  "address add 192.0.2.8/24 dev {0}",
                  kRail));
  expect_rolled_back(fmt::format("{}: {{ addresses: [198.51.100.1/24] }}", kRail));
  expect_rolled_back(fmt::format("{}: {{ addresses: [192.0.2.1/25] }}", kRail));
  spark_.set_sysctl(fmt::format("net.ipv4.conf.{}.promote_secondaries", kRail), "1");
  expect_rolled_back(fmt::format("{}: {{ addresses: [198.51.100.1/24] }}", kRail));
}

TEST_F(FailedApply, GivesIpv6BackThatAnMtuHadEnded) {
  spark_.set_sysctl(fmt::format("net.ipv6.conf.{}.addr_gen_mode", kRail), "0");
  const auto links = fmt::format("{}: {{ mtu: 1200, up: true, link_local: none }}", kRail);
  expect_rolled_back(links);
  spark_.file_with_links(fmt::format("{}: {{ mtu: 1200, up: true, link_local: none }}", kRail));
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  EXPECT_EQ(spark_.link(kRail)["mtu"], 1200);
  EXPECT_THAT(spark_.reconcile({"plan", "--detailed-exitcode"}), ExitsWith(0));
}

}  // namespace
}  // namespace spark::test
