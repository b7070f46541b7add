// Which node a machine is: whatever its name becomes, and whatever a disk remembers of another.

#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "process/spark.hpp"

namespace spark::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kRecord = "/var/lib/spark-reconcile/spark1/machine.json";
constexpr const char* kOneMachine = "0123456789abcdef0123456789abcdef\n";
constexpr const char* kAnotherMachine = "fedcba9876543210fedcba9876543210\n";

class Identity : public ::testing::Test {
 protected:
  Identity() { spark_.add_link("enp1s0f0np0"); }

  /// A file with that node, which the host name leads to, and another one.
  void file_of(const std::string& node, const std::string& address) const {
    spark_.file(
        fmt::format("version: 1\ncluster: lab\nnodes:\n"
                    "  {}: {{ match: {{ hostname: spark1 }}, links: {{ enp1s0f0np0: {{ addresses: "
                    "[{}/24] }} }} }}\n"
                    "  spark2: {{ links: {{ enp1s0f0np0: {{ addresses: [192.0.2.22/24] }} }} }}\n",
                    node, address));
  }
  /// As the machine that has this host name for now.
  [[nodiscard]] Outcome reconcile_as(const std::string& hostname,
                                     const std::vector<std::string>& arguments) const {
    auto command = spark_.command(arguments);
    command.hostname = hostname;
    return run(command);
  }
  [[nodiscard]] std::vector<std::string> addresses() const {
    return spark_.addresses("enp1s0f0np0");
  }

  Spark spark_;
};

TEST_F(Identity, ARollbackNeverGivesAMachineTheAddressesOfAnotherNode) {
  for (const auto* address : {"192.0.2.21", "192.0.2.23"}) {
    file_of("alpha", address);
    ASSERT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  }
  file_of("spark1", "192.0.2.11");
  ASSERT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  const auto before = spark_.dump();
  const auto outcome = spark_.reconcile({"rollback"});
  EXPECT_THAT(outcome, ExitsWith(1));
  EXPECT_THAT(outcome.err, HasSubstr("'spark1' has no earlier file"));
  const auto other = spark_.reconcile({"rollback", "-n", "alpha"});
  EXPECT_THAT(other, ExitsWith(6));
  EXPECT_THAT(other.err, HasSubstr("this machine is by the file 'spark1', not 'alpha'"));
  EXPECT_EQ(spark_.dump(), before);
  file_of("spark1", "192.0.2.12");
  ASSERT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  EXPECT_THAT(spark_.reconcile({"rollback"}), ExitsWith(0));
  EXPECT_THAT(addresses(), ElementsAre("192.0.2.11/24"));
}

TEST_F(Identity, AMachineWhoseNameChangesStaysItsNode) {
  file_of("spark1", "192.0.2.11");
  ASSERT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  spark_.ip("address del 192.0.2.11/24 dev enp1s0f0np0");
  EXPECT_THAT(reconcile_as("dhcp-17", {"apply"}), ExitsWith(0));
  EXPECT_THAT(addresses(), ElementsAre("192.0.2.11/24"));
  EXPECT_THAT(reconcile_as("dhcp-17", {"status"}).out, HasSubstr("in sync"));
  const auto other = reconcile_as("dhcp-17", {"apply", "-n", "spark2"});
  EXPECT_THAT(other, ExitsWith(6));
  EXPECT_THAT(other.err, HasSubstr("this machine was last 'spark1'"));
  EXPECT_THAT(reconcile_as("dhcp-17", {"release"}), ExitsWith(0));
  EXPECT_THAT(addresses(), ElementsAre());
  // Given back, it may become another.
  EXPECT_THAT(reconcile_as("dhcp-17", {"apply", "-n", "spark2"}), ExitsWith(0));
  EXPECT_THAT(addresses(), ElementsAre("192.0.2.22/24"));
}

TEST_F(Identity, AMachineThatNeverWasANodeDoesNotBecomeOneByItsMemory) {
  file_of("spark1", "192.0.2.11");
  EXPECT_THAT(reconcile_as("dhcp-17", {"apply"}), ExitsWith(1));
}

TEST_F(Identity, TheLastingNameComesBeforeTheOneOfTheMoment) {
  file_of("spark1", "192.0.2.11");
  spark_.write("/etc/hostname", "# of this machine\nspark1\n");
  EXPECT_THAT(reconcile_as("spark2", {"apply"}), ExitsWith(0));
  EXPECT_THAT(addresses(), ElementsAre("192.0.2.11/24"));
}

TEST_F(Identity, AMachineIsAnotherNodeOnceTheFileGivesItToThat) {
  file_of("spark1", "192.0.2.11");
  ASSERT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  spark_.write("/etc/hostname", "spark2\n");
  EXPECT_EQ(spark_.json({"plan"})["node"], "spark2");
  spark_.write("/etc/hostname", "dhcp-17\n");
  file_of("beta", "192.0.2.13");
  const auto gone = spark_.reconcile({"plan"});
  EXPECT_THAT(gone, ExitsWith(1));
  EXPECT_THAT(gone.err, HasSubstr("was the node 'spark1' so far"));
}

TEST_F(Identity, ACopiedDiskIsToldAndIsNobody) {
  spark_.write("/etc/machine-id", kOneMachine);
  file_of("spark1", "192.0.2.11");
  ASSERT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  spark_.write("/etc/machine-id", kAnotherMachine);
  spark_.ip("address del 192.0.2.11/24 dev enp1s0f0np0");
  for (const auto* verb : {"apply", "plan", "status", "release", "rollback", "history"}) {
    const auto outcome = spark_.reconcile({verb});
    EXPECT_THAT(outcome, ExitsWith(1)) << verb;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("this disk is a copy"), HasSubstr(kRecord))) << verb;
  }
  EXPECT_THAT(reconcile_as("dhcp-17", {"apply"}), ExitsWith(1));
  EXPECT_THAT(addresses(), ElementsAre());
  // The way out of a machine that has got a new id.
  std::filesystem::remove(spark_.host_path(kRecord));
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  EXPECT_THAT(spark_.read(kRecord), HasSubstr("fedcba9876543210fedcba9876543210"));
}

TEST_F(Identity, WhatAnEarlierVersionRememberedCounts) {
  spark_.write("/etc/machine-id", kOneMachine);
  file_of("spark1", "192.0.2.11");
  ASSERT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  std::filesystem::remove(spark_.host_path(kRecord));
  EXPECT_THAT(reconcile_as("dhcp-17", {"apply"}), ExitsWith(0));
  EXPECT_THAT(spark_.read(kRecord), HasSubstr("0123456789abcdef0123456789abcdef"));
}

TEST_F(Identity, AMachineThatWasTwoNodesIsTheLast) {
  file_of("alpha", "192.0.2.21");
  ASSERT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  file_of("spark1", "192.0.2.11");
  ASSERT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  EXPECT_EQ(nlohmann::json::parse(reconcile_as("dhcp-17", {"plan", "--json"}).out)["node"],
            "spark1");
}

}  // namespace
}  // namespace spark::test
