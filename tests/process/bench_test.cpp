// The verb `bench`, as far as a machine without RDMA can tell. What it measures is in the lab.

#include "process/spark.hpp"

namespace spark::test {
namespace {

using ::testing::HasSubstr;

/// A node of a pair, with its two rails.
class Bench : public testing::Test {
 protected:
  Bench() {
    spark_.add_link("enp1s0f0np0");
    spark_.add_link("enP2p1s0f0np0");
    spark_.file(R"(version: 1
cluster: pair
nodes: { spark1: { number: 11 }, spark2: { number: 12 } }
fabric:
  cables:
    - { ends: [spark1:0, spark2:0], subnets: [192.0.2.0/24, 198.51.100.0/24] }
)");
  }

  Spark spark_;
};

TEST_F(Bench, NamesThePeersWhereTheOneThatIsAskedForIsNone) {
  const auto outcome = spark_.reconcile({"bench", "elsewhere"});
  EXPECT_THAT(outcome, ExitsWith(1));
  EXPECT_THAT(outcome.err, HasSubstr("'elsewhere' is no peer of spark1; its peers are spark2: `"));
}

TEST_F(Bench, SaysWhichRailCannotBeMeasured) {
  const auto outcome = spark_.reconcile({"bench"});
  EXPECT_THAT(outcome, ExitsWith(1));
  EXPECT_THAT(outcome.err, HasSubstr("spark2 was not measured: enp1s0f0np0 has no RDMA device"));
  const auto peers = spark_.json({"bench", "--all"}).at("peers");
  ASSERT_EQ(peers.size(), 1U);
  EXPECT_THAT(peers[0].at("failed").get<std::string>(), HasSubstr("has no RDMA device"));
}

TEST_F(Bench, LooksForThePlaceOfItsPageFirst) {
  spark_.write("/page.html", "mine");
  const auto outcome =
      spark_.reconcile({"bench", "--report", spark_.host_path("/page.html").string()});
  EXPECT_THAT(outcome, ExitsWith(1));
  EXPECT_THAT(outcome.err, HasSubstr("is there already, and no file is replaced"));
  EXPECT_EQ(spark_.read("/page.html"), "mine");
}

TEST_F(Bench, RefusesOptionsThatContradict) {
  EXPECT_THAT(spark_.reconcile({"bench", "spark2", "--all"}), ExitsWith(64));
  EXPECT_THAT(spark_.reconcile({"bench", "--seconds", "31"}), ExitsWith(64));
  EXPECT_THAT(spark_.reconcile({"bench", "--rail", "2"}), ExitsWith(64));
}

}  // namespace
}  // namespace spark::test
