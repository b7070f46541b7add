// Diversions: packets to a peer that would leave by another device than the rail that leads there.

#include <string>

#include "process/spark.hpp"

namespace spark::test {
namespace {

using ::testing::HasSubstr;

/// The peer of cage 0 rail 0 is 192.0.2.12; lan0 is the network that may get in its way.
class Diversion : public ::testing::Test {
 protected:
  Diversion() {
    spark_.add_link("enp1s0f0np0");
    spark_.add_link("enP2p1s0f0np0");
    spark_.add_link("lan0");
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

  void refuses(const std::string& why) const {
    const auto before = spark_.dump();
    const auto outcome = spark_.reconcile({"apply"});
    EXPECT_THAT(outcome, ExitsWith(6));
    EXPECT_THAT(outcome.err, HasSubstr("[SR-ROUTE-001]"));
    EXPECT_THAT(outcome.err, HasSubstr(why));
    EXPECT_EQ(spark_.dump(), before);
  }

  Spark spark_;
};

TEST_F(Diversion, IsAMoreSpecificRoute) {
  spark_.ip("route add 192.0.2.12/32 dev lan0");
  refuses("192.0.2.12/32 dev lan0");
}

TEST_F(Diversion, IsARouteAsSpecificAsTheRailsOwn) {
  spark_.ip("route add 192.0.2.0/24 dev lan0");
  refuses("192.0.2.0/24 dev lan0");
}

TEST_F(Diversion, IsARouteThatRefusesThePackets) {
  spark_.ip("route add unreachable 192.0.2.12/32");
  refuses("192.0.2.12/32");
}

TEST_F(Diversion, IsARuleThatComesBeforeTheMainTable) {
  spark_.ip("route add default dev lan0 table 100\nrule add priority 100 table 100");
  refuses("table 100");
}

TEST_F(Diversion, IsFoundBeforeTheRailIsSetUp) {
  spark_.ip("link set enp1s0f0np0 down\nroute add 192.0.2.12/32 dev lan0");
  refuses("192.0.2.12/32 dev lan0");
}

TEST_F(Diversion, IsARuleForTheRailsOwnAddress) {
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(4));
  spark_.ip(
      "route add default dev lan0 table 100\nrule add from 192.0.2.11 priority 100 table 100");
  refuses("table 100");
}

TEST_F(Diversion, IsARouteOfAStorageTargetToo) {
  spark_.file(R"(version: 1
cluster: pair
nodes: { spark1: { links: { lan0: { owner: host, addresses: [203.0.113.11/24] } } } }
storage:
  - nvme_tcp: { nqn: nqn.2024-01.com.example:data, address: 203.0.113.100, via: lan0 }
)");
  spark_.ip("address add 203.0.113.11/24 dev lan0\nroute add 203.0.113.100/32 dev enp1s0f0np0");
  refuses("203.0.113.100/32 dev enp1s0f0np0");
}

TEST_F(Diversion, IsFoundOnceTheRailHasItsAddress) {
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(4));
  spark_.ip("route add default dev lan0 table 100\nrule add priority 100 table 100");
  EXPECT_THAT(spark_.reconcile({"plan"}), ExitsWith(6));
}

TEST_F(Diversion, IsNoLessSpecificRouteAndNoLaterRule) {
  spark_.ip(
      "route add default dev lan0\n"
      "route add 192.0.0.0/16 dev lan0\n"
      "route add 192.0.2.12/32 dev lan0 table 100\n"
      "rule add priority 40000 table 100");
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(4));
}

TEST_F(Diversion, IsNotJudgedOnARailWithoutCarrier) {
  spark_.ip("route add 192.0.2.12/32 dev lan0\nlink set x-enp1s0f0np0 down");
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(4));
}

}  // namespace
}  // namespace spark::test
