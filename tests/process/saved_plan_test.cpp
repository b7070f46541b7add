// Plans that are kept: saved and applied later, or made from another machine's facts.

#include <string>

#include <nlohmann/json.hpp>

#include "base/sha256.hpp"
#include "process/spark.hpp"

namespace spark::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SavedPlan : public ::testing::Test {
 protected:
  SavedPlan() : saved_(spark_.host_path("/plan").string()) {
    spark_.add_link("enp1s0f0np0");
    spark_.file_with_links("enp1s0f0np0: { mtu: 9000, addresses: [192.0.2.1/24] }");
    EXPECT_THAT(spark_.reconcile({"plan", "--out", saved_}), ExitsWith(0));
  }

  Spark spark_;
  std::string saved_;
};

TEST_F(SavedPlan, IsAppliedWithoutItsFile) {
  spark_.file("changed: since\n");
  EXPECT_THAT(spark_.reconcile({"apply", saved_}), ExitsWith(0));
  EXPECT_THAT(spark_.addresses("enp1s0f0np0"), ElementsAre("192.0.2.1/24"));
}

TEST_F(SavedPlan, NamesTheCommandThatAppliesIt) {
  const auto plan = spark_.reconcile({"plan", "--out", saved_});
  EXPECT_THAT(plan.out, HasSubstr("Next: spark-reconcile apply " + saved_ + " --root " +
                                  spark_.host_path("/").parent_path().string() + "\n"));
}

TEST_F(SavedPlan, IsStaleOnceTheMachineHasChanged) {
  spark_.ip("link set enp1s0f0np0 mtu 4000");
  const auto outcome = spark_.reconcile({"apply", saved_});
  EXPECT_THAT(outcome, ExitsWith(6));
  EXPECT_THAT(outcome.err, HasSubstr("plan is stale"));
  EXPECT_EQ(spark_.link("enp1s0f0np0")["mtu"], 4000);
  EXPECT_THAT(spark_.addresses("enp1s0f0np0"), IsEmpty());
}

TEST_F(SavedPlan, ThatIsNoPlanIsAnError) {
  const auto outcome =
      spark_.reconcile({"apply", spark_.host_path("/etc/spark-reconcile/cluster.yaml").string()});
  EXPECT_THAT(outcome, ExitsWith(1));
  EXPECT_THAT(outcome.err, HasSubstr("apply -f"));
}

TEST(Facts, GiveTheSamePlanElsewhere) {
  const Spark spark;
  spark.add_link("enp1s0f0np0");
  spark.add_link("enP2p1s0f0np0");
  spark.ip(
      "address add 203.0.113.1/24 dev enp1s0f0np0\n"
      "route add 198.51.100.12/32 dev enp1s0f0np0");
  const std::string file = R"(version: 1
cluster: pair
nodes:
  spark1: { number: 11 }
  spark2: { number: 12 }
fabric:
  mtu: 9000
  unused_cages: down
  cables:
    - { ends: [spark1:0, spark2:0], subnets: [192.0.2.0/24, 198.51.100.0/24] }
host:
  sysctl: { net.ipv4.tcp_keepalive_time: 600, net.core.rmem_max: 268435456 }
  hosts: { suffix: -fabric }
)";
  spark.file(file);
  auto here = spark.json({"plan"});

  const Spark elsewhere("desk");
  elsewhere.file(file);
  elsewhere.write("/facts.json", spark.reconcile({"facts"}).out);
  auto there = elsewhere.json({"plan", "--facts", elsewhere.host_path("/facts.json").string()});

  EXPECT_THAT(here["steps"], ::testing::Not(IsEmpty()));
  EXPECT_THAT(here["refusals"], ::testing::SizeIs(1));
  here.erase("generated_at");
  there.erase("generated_at");
  EXPECT_EQ(here, there);
}

TEST_F(SavedPlan, IsNamedInTheDocumentOfPlan) {
  const auto said = spark_.json({"plan", "--out", saved_});
  ASSERT_EQ(said["artifacts"].size(), 1U) << said;
  EXPECT_EQ(said["artifacts"][0]["path"], saved_);
  EXPECT_EQ(said["artifacts"][0]["type"], nlohmann::json::parse(spark_.read("/plan"))["schema"]);
  EXPECT_EQ(said["artifacts"][0]["sha256"], sha256_of(spark_.read("/plan")));
  EXPECT_FALSE(spark_.json({"plan"}).contains("artifacts"));
}

}  // namespace
}  // namespace spark::test
