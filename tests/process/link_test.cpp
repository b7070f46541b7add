// Links: up, down, their link-local addresses, cages that nobody uses, and names that change.

#include <algorithm>
#include <string>
#include <vector>

#include "process/spark.hpp"

namespace spark::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(Links, LinkLocalModeNoneRemovesWhatTheKernelMade) {
  const Spark spark;
  spark.add_link("enp1s0f0np0");
  spark.set_sysctl("net.ipv6.conf.enp1s0f0np0.addr_gen_mode", "0");
  ASSERT_THAT(spark.addresses("enp1s0f0np0"), ElementsAre(StartsWith("fe80::")));
  spark.file_with_links("enp1s0f0np0: { link_local: none }");
  EXPECT_THAT(spark.reconcile({"apply"}), ExitsWith(0));
  EXPECT_THAT(spark.addresses("enp1s0f0np0"), IsEmpty());
  EXPECT_EQ(spark.link("enp1s0f0np0")["inet6_addr_gen_mode"], "none");
}

TEST(Links, LinkLocalModeHoldsForALinkWhoseMtuWasTooSmallForIpv6) {
  const Spark spark;
  spark.add_link("enp1s0f0np0");
  spark.set_sysctl("net.ipv6.conf.default.addr_gen_mode", "0");
  spark.ip("link set enp1s0f0np0 mtu 1000");
  spark.file_with_links("enp1s0f0np0: { mtu: 9000, up: true, link_local: none }");
  EXPECT_THAT(spark.reconcile({"apply"}), ExitsWith(0));
  EXPECT_THAT(spark.addresses("enp1s0f0np0"), IsEmpty());
  EXPECT_EQ(spark.link("enp1s0f0np0")["inet6_addr_gen_mode"], "none");
  EXPECT_THAT(spark.reconcile({"plan", "--detailed-exitcode"}), ExitsWith(0));
}

TEST(Links, StablePrivacyWithoutASecretIsFoundImpossible) {
  const Spark spark;
  spark.add_link("enp1s0f0np0");
  spark.file_with_links("enp1s0f0np0: { link_local: stable_privacy }");
  const auto outcome = spark.reconcile({"apply"});
  EXPECT_THAT(outcome, ExitsWith(1));
  EXPECT_THAT(outcome.err, HasSubstr("[SR-LINK-004]"));
  spark.set_sysctl("net.ipv6.conf.enp1s0f0np0.stable_secret", "2001:db8::1");
  EXPECT_THAT(spark.reconcile({"apply"}), ExitsWith(0));
}

TEST(Links, AnMtuThatEndsIpv6IsRefusedWhereAForeignAddressNeedsIt) {
  const Spark spark;
  spark.add_link("enp1s0f0np0");
  spark.ip("address add 2001:db8::7/64 dev enp1s0f0np0");
  spark.file_with_links("enp1s0f0np0: { mtu: 1000 }");
  const auto before = spark.dump();
  const auto outcome = spark.reconcile({"apply"});
  EXPECT_THAT(outcome, ExitsWith(6));
  EXPECT_THAT(outcome.err, HasSubstr("[SR-MTU-002]"));
  EXPECT_EQ(spark.dump(), before);
}

TEST(Links, AnAlternativeNameIsTheDevicesOwn) {
  const Spark spark;
  spark.add_link("enp1s0f0np0");
  spark.ip(
      "link property add dev enp1s0f0np0 altname rail0\naddress add 192.0.2.1/24 dev enp1s0f0np0");
  spark.file_with_links("rail0: { mtu: 9000, addresses: [192.0.2.1/24] }");
  EXPECT_THAT(spark.reconcile({"apply"}), ExitsWith(0));
  EXPECT_THAT(spark.addresses("enp1s0f0np0"), ElementsAre("192.0.2.1/24"));
  EXPECT_EQ(spark.link("enp1s0f0np0")["mtu"], 9000);
  spark.file_with_links("rail0: { mtu: 9000 }\nenp1s0f0np0: { up: true }");
  EXPECT_THAT(spark.reconcile({"plan"}).err, HasSubstr("is the device 'enp1s0f0np0'"));
}

TEST(Links, LinesThatLeaveTheFileLeaveTheLinkAsItIs) {
  const Spark spark;
  spark.add_link("enp1s0f0np0");
  spark.add_link("enp1s0f1np1");
  spark.file_with_links("enp1s0f0np0: { mtu: 9000, up: false, link_local: eui64 }");
  EXPECT_THAT(spark.reconcile({"apply"}), ExitsWith(0));
  const auto before = spark.dump();
  spark.file_with_links("enp1s0f1np1: { up: true }");
  EXPECT_THAT(spark.reconcile({"apply"}), ExitsWith(0));
  EXPECT_EQ(spark.dump(), before);
}

TEST(Links, APlanHoldsForADeviceThatWasMadeAgainMeanwhile) {
  const Spark spark;
  spark.add_link("enp1s0f0np0");
  spark.file_with_links("enp1s0f0np0: { mtu: 9000, addresses: [192.0.2.1/24] }");
  const auto plan = spark.host_path("/plan").string();
  EXPECT_THAT(spark.reconcile({"plan", "--out", plan}), ExitsWith(0));
  const auto index = spark.link("enp1s0f0np0")["ifindex"];
  spark.ip("link delete enp1s0f0np0");
  spark.add_link("enp1s0f0np0");
  ASSERT_NE(spark.link("enp1s0f0np0")["ifindex"], index);
  EXPECT_THAT(spark.reconcile({"apply", plan}), ExitsWith(0));
  EXPECT_THAT(spark.addresses("enp1s0f0np0"), ElementsAre("192.0.2.1/24"));
}

TEST(Links, ARenamedDeviceIsWaitedForUntilItBearsTheNameAgain) {
  const Spark spark;
  spark.add_link("enp1s0f0np0");
  spark.file_with_links("enp1s0f0np0: { mtu: 9000, addresses: [192.0.2.1/24] }");
  EXPECT_THAT(spark.reconcile({"apply"}), ExitsWith(0));
  spark.ip("link set enp1s0f0np0 down\nlink set enp1s0f0np0 name eth5\nlink set eth5 up");
  EXPECT_THAT(spark.reconcile({"apply"}), ExitsWith(3));
  spark.ip("link set eth5 down\nlink set eth5 name enp1s0f0np0\nlink set enp1s0f0np0 up");
  EXPECT_THAT(spark.reconcile({"apply"}), ExitsWith(0));
  EXPECT_THAT(spark.addresses("enp1s0f0np0"), ElementsAre("192.0.2.1/24"));
}

/// Cage 0 is cabled, cage 1 is named by nothing and to go down.
class UnusedCage : public ::testing::Test {
 protected:
  UnusedCage() {
    for (const auto* rail : {"enp1s0f0np0", "enP2p1s0f0np0", "enp1s0f1np1", "enP2p1s0f1np1"}) {
      spark_.add_link(rail);
    }
    spark_.ip("link set x-enp1s0f1np1 down\nlink set x-enP2p1s0f1np1 down");
    spark_.file(R"(version: 1
cluster: pair
nodes:
  spark1: { number: 11 }
  spark2: { number: 12 }
fabric:
  unused_cages: down
  cables:
    - { ends: [spark1:0, spark2:0], subnets: [192.0.2.0/24, 198.51.100.0/24] }
)");
  }

  [[nodiscard]] std::vector<bool> rails_up() const {
    std::vector<bool> up;
    for (const auto* rail : {"enp1s0f1np1", "enP2p1s0f1np1"}) {
      const auto flags = spark_.link(rail)["flags"];
      up.push_back(std::ranges::find(flags, "UP") != flags.end());
    }
    return up;
  }

  Spark spark_;
};

TEST_F(UnusedCage, GoesDownWithBothItsRails) {
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(4));
  EXPECT_THAT(rails_up(), ElementsAre(false, false));
}

TEST_F(UnusedCage, StaysUpWhereARailHasCarrier) {
  spark_.ip("link set x-enp1s0f1np1 up");
  const auto outcome = spark_.reconcile({"apply"});
  EXPECT_THAT(outcome, ExitsWith(4));
  EXPECT_THAT(outcome.out, HasSubstr("[SR-LINK-003]"));
  EXPECT_THAT(rails_up(), ElementsAre(true, true));
}

TEST_F(UnusedCage, StaysUpWhereSomeoneGaveARailAnAddress) {
  spark_.ip("address add 203.0.113.9/24 dev enp1s0f1np1");
  const auto outcome = spark_.reconcile({"apply"});
  EXPECT_THAT(outcome, ExitsWith(4));
  EXPECT_THAT(outcome.out, HasSubstr("203.0.113.9/24"));
  EXPECT_THAT(rails_up(), ElementsAre(true, true));
}

}  // namespace
}  // namespace spark::test
