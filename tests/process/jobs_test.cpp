// The verb `jobs`. Virtual links have no RDMA device, and so nobody has queue pairs on them.

#include "process/spark.hpp"

namespace spark::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr const char* kPairOfRails = R"(version: 1
cluster: pair
nodes: { spark1: { number: 11 }, spark2: { number: 12 } }
fabric:
  cables:
    - { ends: [spark1:0, spark2:0], subnets: [192.0.2.0/24, 198.51.100.0/24] }
)";

class JobsVerb : public ::testing::Test {
 protected:
  JobsVerb() {
    spark_.add_link("enp1s0f0np0");
    spark_.add_link("enP2p1s0f0np0");
  }

  Spark spark_;
};

TEST_F(JobsVerb, ShowsTheRailsOfTheFileAndChangesNothing) {
  spark_.file(kPairOfRails);
  const auto before = spark_.dump();
  const auto outcome = spark_.reconcile({"jobs"});
  EXPECT_THAT(outcome, ExitsWith(0));
  EXPECT_THAT(
      outcome.out,
      AllOf(HasSubstr("spark1, measured for 1 s\n"), HasSubstr("cage 0 rail 0  enp1s0f0np0"),
            HasSubstr("cage 0 rail 1  enP2p1s0f0np0"), HasSubstr("no job has queue pairs here\n")));
  EXPECT_EQ(spark_.dump(), before);
}

TEST_F(JobsVerb, SaysTheSameAsJson) {
  spark_.file(kPairOfRails);
  const auto shown = spark_.json({"jobs"});
  ASSERT_THAT(shown["rails"], SizeIs(2));
  EXPECT_EQ(shown["rails"][0]["counts_rdma"], false);
  EXPECT_EQ(shown["rails"][1]["rail"]["rail"], 1);
  EXPECT_GE(shown["measured_ms"], 1000);
  EXPECT_THAT(shown["jobs"], SizeIs(0));
}

TEST_F(JobsVerb, NeedsNoFile) {
  const auto outcome = spark_.reconcile({"jobs"});
  EXPECT_THAT(outcome, ExitsWith(0));
  EXPECT_THAT(outcome.out, HasSubstr("No link with an RDMA device is here.\n"));
}

TEST_F(JobsVerb, WatchesOnATerminalAlone) {
  EXPECT_THAT(spark_.reconcile({"jobs", "-w"}), ExitsWith(64));
  EXPECT_THAT(spark_.reconcile({"jobs", "-w", "--json"}), ExitsWith(64));
}

}  // namespace
}  // namespace spark::test
