// The managed block of /etc/hosts; every other line belongs to someone else.

#include <string>

#include <fmt/format.h>

#include "process/spark.hpp"

namespace spark::test {
namespace {

using ::testing::HasSubstr;

constexpr const char* kTheirs = "127.0.0.1 localhost\n192.0.2.1 gateway # by hand\n";

class HostsFile : public ::testing::Test {
 protected:
  HostsFile() {
    spark_.add_link("enp1s0f0np0");
    spark_.add_link("enP2p1s0f0np0");
    spark_.write("/etc/hosts", kTheirs);
  }

  /// A pair, with peers' names ending in `suffix`; without a block where it is empty.
  void want(const std::string& suffix) const {
    spark_.file(fmt::format(R"(version: 1
cluster: pair
nodes:
  spark1: {{ number: 11 }}
  spark2: {{ number: 12 }}
fabric:
  cables:
    - {{ ends: [spark1:0, spark2:0], subnets: [192.0.2.0/24, 198.51.100.0/24] }}
{}
)",
                            suffix.empty() ? "" : "host: { hosts: { suffix: " + suffix + " } }"));
  }

  Spark spark_;
};

TEST_F(HostsFile, GetsABlockThatFollowsTheFile) {
  want("-fabric");
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(4));
  const auto text = spark_.read("/etc/hosts");
  EXPECT_THAT(text, ::testing::StartsWith(kTheirs));
  EXPECT_THAT(text, HasSubstr("\n192.0.2.12 spark2-fabric\n"));

  // Lines that come after the block stay as well.
  spark_.write("/etc/hosts", text + "203.0.113.1 printer\n");
  want("-rdma");
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(4));
  EXPECT_THAT(spark_.read("/etc/hosts"), HasSubstr("\n192.0.2.12 spark2-rdma\n"));

  want("");
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(4));
  EXPECT_EQ(spark_.read("/etc/hosts"), std::string(kTheirs) + "203.0.113.1 printer\n");
}

TEST_F(HostsFile, ThatIsALinkIsForeseenByThePlan) {
  spark_.write("/etc/elsewhere", kTheirs);
  std::filesystem::remove(spark_.host_path("/etc/hosts"));
  std::filesystem::create_symlink("elsewhere", spark_.host_path("/etc/hosts"));
  want("-fabric");
  const auto outcome = spark_.reconcile({"apply"});
  EXPECT_THAT(outcome, ExitsWith(4));
  EXPECT_THAT(outcome.out, HasSubstr("[SR-HOST-002]"));
  EXPECT_EQ(spark_.read("/etc/elsewhere"), kTheirs);
}

TEST_F(HostsFile, WithHalfABlockIsLeftAlone) {
  const auto half = std::string(kTheirs) + "# end spark-reconcile\n";
  spark_.write("/etc/hosts", half);
  want("-fabric");
  const auto outcome = spark_.reconcile({"apply"});
  EXPECT_THAT(outcome, ExitsWith(4));
  EXPECT_THAT(outcome.out, HasSubstr("[SR-HOSTS-001]"));
  EXPECT_EQ(spark_.read("/etc/hosts"), half);
}

}  // namespace
}  // namespace spark::test
