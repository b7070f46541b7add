// The gate where there is no RDMA: unknown, and never open.

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "host/linux/helper_probe.hpp"
#include "process/spark.hpp"

namespace spark::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class Gate : public ::testing::Test {
 protected:
  Gate() {
    for (const auto* rail : {"enp1s0f0np0", "enP2p1s0f0np0"}) {
      spark_.add_link(rail);
    }
    spark_.file(R"(version: 1
cluster: pair
nodes:
  spark1: { number: 11 }
  spark2: { number: 12 }
fabric:
  mtu: 9000
  cables:
    - { ends: [spark1:0, spark2:0], subnets: [192.0.2.0/24, 198.51.100.0/24] }
)");
  }

  Spark spark_;
};

TEST_F(Gate, IsUnknownOnVirtualLinksThatAreRight) {
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(4));
  const auto outcome = spark_.reconcile({"gate"});
  EXPECT_THAT(outcome, ExitsWith(4));
  EXPECT_THAT(outcome.out, HasSubstr("[SR-GATE-004]"));
  EXPECT_THAT(outcome.out, HasSubstr("spark1: unknown"));
}

TEST_F(Gate, IsClosedBeforeAnythingIsApplied) {
  const auto json = spark_.json({"gate"});
  EXPECT_EQ(json["verdict"], "not ready");
  EXPECT_EQ(json["exit_code"], 3);
  EXPECT_EQ(json["schema"], "spark-reconcile/gate/v1");
}

TEST_F(Gate, ChangesNothing) {
  const auto before = spark_.dump();
  EXPECT_THAT(spark_.reconcile({"gate", "--full"}), ExitsWith(3));
  EXPECT_EQ(spark_.dump(), before);
}

TEST_F(Gate, GoesThroughTheChecklistWithoutAFileAndChangesNothing) {
  const auto before = spark_.dump();
  const auto outcome = spark_.reconcile({"gate", "--checklist"});
  EXPECT_THAT(outcome, ExitsWith(0));
  EXPECT_THAT(outcome.out,
              HasSubstr("pause: not here\n    Does the port send and obey pause frames"));
  EXPECT_THAT(outcome.out, HasSubstr("nothing was changed"));
  EXPECT_THAT(spark_.reconcile({"gate", "--checklist", "--full"}), ExitsWith(64));
  EXPECT_EQ(spark_.dump(), before);

  // One file to post, which replaces none.
  spark_.write("/etc/os-release", "PRETTY_NAME=\"DGX OS\"\n");
  const auto file = spark_.host_path("/checklist.txt").string();
  EXPECT_THAT(spark_.reconcile({"gate", "--checklist", "-o", file}), ExitsWith(0));
  EXPECT_THAT(spark_.read("/checklist.txt"),
              AllOf(HasSubstr("\nkernel "), HasSubstr("PRETTY_NAME=\"DGX OS\"\n"),
                    HasSubstr("pause: not here\n"), HasSubstr("nothing was changed")));
  EXPECT_THAT(spark_.reconcile({"gate", "--checklist", "-o", file}), ExitsWith(1));
  EXPECT_THAT(spark_.reconcile({"gate", "-o", file}), ExitsWith(64));
}

/// The executable that the gate starts: beside the program, as it looks for it.
Outcome probe(const std::vector<std::string>& arguments) {
  const std::filesystem::path program = std::getenv("SPARK_RECONCILE");
  Command command{.argv = {program.parent_path() / "spark-verbs-probe"}};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  return run(command);
}

TEST(VerbsProbe, ReportsAsTheGateReadsIt) {
  const auto outcome = probe({"none", "1", "1", "192.0.2.1", "1000", "light"});
  EXPECT_THAT(outcome, ExitsWith(1));
  const auto report = host::parse_loopback_report(outcome.out);
  ASSERT_TRUE(report) << outcome;
  EXPECT_EQ(report->failed, "ibv_get_device_list");
  EXPECT_FALSE(report->bytes_moved);
}

TEST(VerbsProbe, ReportsARegistrationAsTheGateReadsIt) {
  const auto outcome = probe({"register", "none", "65536"});
  EXPECT_THAT(outcome, ExitsWith(1));
  const auto report = host::parse_registration_report(outcome.out);
  ASSERT_TRUE(report) << outcome;
  EXPECT_EQ(report->failed, "ibv_get_device_list");
  EXPECT_GT(report->limit, 0U);
  EXPECT_FALSE(report->registered);
}

TEST(VerbsProbe, RefusesArgumentsThatTheGateDoesNotGive) {
  for (const auto& arguments :
       std::vector<std::vector<std::string>>{{},
                                             {"register", "none"},
                                             {"register", "none", "0"},
                                             {"register", "none", "64GiB"},
                                             {"register", "none", "68719476736"},
                                             {"none", "0", "1", "192.0.2.1", "1000", "light"},
                                             {"none", "256", "1", "192.0.2.1", "1000", "light"},
                                             {"none", "1", "1", "192.0.2.1/24", "1000", "light"},
                                             {"none", "1", "1", "192.0.2.1", "0", "light"},
                                             {"none", "1", "1", "192.0.2.1", "1000", "heavy"}}) {
    EXPECT_THAT(probe(arguments), ExitsWith(64));
  }
}

}  // namespace
}  // namespace spark::test
