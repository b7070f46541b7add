// A cable's subnet that is in use elsewhere on the machine: the LAN's above all.

#include <string>

#include "process/spark.hpp"

namespace spark::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// The default route leaves by enP7s7, which the file does not name.
class Subnet : public ::testing::Test {
 protected:
  Subnet() {
    for (const auto* link : {"enp1s0f0np0", "enP2p1s0f0np0", "enP7s7"}) {
      spark_.add_link(link);
    }
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

  void expect_refused(const std::string& why) const {
    const auto before = spark_.dump();
    for (const auto& arguments :
         std::vector<std::vector<std::string>>{{"apply"}, {"apply", "--confirm", "60s"}}) {
      const auto outcome = spark_.reconcile(arguments);
      EXPECT_THAT(outcome, ExitsWith(6));
      EXPECT_THAT(outcome.err,
                  AllOf(HasSubstr(why), HasSubstr("[SR-ROUTE-002]"), Not(HasSubstr("--confirm"))));
    }
    EXPECT_EQ(spark_.dump(), before);
  }

  Spark spark_;
};

TEST_F(Subnet, OfTheLanIsRefusedWithAFreeOne) {
  // The node's own number in the LAN is that of the file: its address would go to the rail.
  spark_.ip("address add 192.0.2.11/24 dev enP7s7\nroute add default via 192.0.2.1");
  expect_refused(
      "192.0.2.0/24 is the subnet of 'enP7s7', your LAN: give the cable another, for example "
      "192.168.177.0/24");
}

TEST_F(Subnet, WithinTheLanIsRefusedAndTheExampleIsFree) {
  spark_.ip(
      "address add 198.51.100.200/25 dev enP7s7\n"
      "route add default via 198.51.100.129\n"
      "route add 192.168.177.0/24 via 198.51.100.129");
  expect_refused(
      "198.51.100.0/24 overlaps 198.51.100.128/25, the subnet of 'enP7s7', your LAN: give the "
      "cable "
      "another, for example 192.168.178.0/24");
}

TEST_F(Subnet, OfABridgeIsNotCalledTheLan) {
  spark_.ip("link add docker0 type bridge\naddress add 192.0.2.1/24 dev docker0");
  expect_refused("192.0.2.0/24 is the subnet of 'docker0': give the cable another");
}

TEST_F(Subnet, OfTheCageWhereTheCableWasBeforeMovesWithTheCable) {
  spark_.add_link("enp1s0f1np1");
  spark_.ip("address add 192.0.2.11/24 dev enp1s0f1np1");
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(4));
  EXPECT_THAT(spark_.addresses("enp1s0f0np0"), ::testing::ElementsAre("192.0.2.11/24"));
}

TEST_F(Subnet, ThatAppearsOnTheLanLaterRefusesNoOtherChange) {
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(4));
  spark_.ip("address add 192.0.3.7/22 dev enP7s7");
  EXPECT_THAT(spark_.reconcile({"plan"}), ExitsWith(0));
}

TEST_F(Subnet, AnAddressOfTheLanIsNotOfferedToAnotherLinkByConfirm) {
  spark_.ip("address add 203.0.113.10/24 dev enP7s7\nroute add default via 203.0.113.1");
  spark_.file_with_links("enp1s0f0np0: { addresses: [203.0.113.10/24] }");
  const auto before = spark_.dump();
  const auto outcome = spark_.reconcile({"apply"});
  EXPECT_THAT(outcome, ExitsWith(6));
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("203.0.113.10 is an address of 'enP7s7'"),
                                 HasSubstr("[SR-GUARD-004]"), Not(HasSubstr("--confirm"))));
  EXPECT_THAT(spark_.reconcile({"apply", "--confirm", "60s"}), ExitsWith(6));
  EXPECT_EQ(spark_.dump(), before);
}

}  // namespace
}  // namespace spark::test
