// The first day of an owner: cables in the wrong place, and what the program says of them.

#include <chrono>
#include <csignal>

#include <fmt/format.h>
#include <poll.h>

#include "process/spark.hpp"

namespace spark::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Looks again and again, for at most a minute.
void wait_until(const std::function<bool()>& holds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!holds() && std::chrono::steady_clock::now() < deadline) poll(nullptr, 0, 100);
  EXPECT_TRUE(holds());
}

std::string state_of(const Spark& spark, const std::string& link) {
  const auto status =
      nlohmann::json::parse(spark.read("/run/spark-reconcile/status.json"), nullptr, false);
  if (!status.is_object()) return "";
  for (const auto& record : status["links"]) {
    if (record["name"] == link && record["cabling"].is_object()) return record["cabling"]["state"];
  }
  return "";
}

// D2 of the first day: a miswired ring read "ready", and its cables were green.
TEST(FirstDay, AMiswiredRingIsNotReadyAndNamesTheSwap) {
  const Spark spark1{"spark1"};
  const Spark spark2{"spark2"};
  const Spark spark3{"spark3"};
  for (const auto* prefix : {"enp1s0", "enP2p1s0"}) {
    const auto cage_0 = fmt::format("{}f0np0", prefix);
    const auto cage_1 = fmt::format("{}f1np1", prefix);
    wire(spark1, cage_1, spark2, cage_1);  // the two plugs of spark1 are swapped
    wire(spark3, cage_0, spark1, cage_0);
    wire(spark2, cage_0, spark3, cage_1);
  }
  for (const auto* spark : {&spark1, &spark2, &spark3}) {
    spark->add_link("enP7s7");
    spark->file(source_file("tests/specs/ring.yaml"));
    EXPECT_THAT(spark->reconcile({"apply"}), ExitsWith(4)) << "virtual links have no RDMA";
  }
  EXPECT_THAT(spark1.reconcile({"status"}).out,
              AllOf(HasSubstr("spark2 cage 1  ? not proven"), Not(HasSubstr("✓ proven"))));

  Running daemon(spark1.command({"daemon"}));
  wait_until([&] { return state_of(spark1, "enp1s0f0np0") == "wrong"; });
  EXPECT_THAT(spark1.reconcile({"status"}).out,
              AllOf(HasSubstr("spark2 cage 1  ✗ wrong: spark3:0 instead"),
                    HasSubstr("spark3 cage 0  ✗ wrong: spark2:1 instead")));
  const auto gate = spark1.reconcile({"gate"});
  EXPECT_THAT(gate, ExitsWith(3));
  EXPECT_THAT(gate.out,
              AllOf(HasSubstr("the cable in spark1:0 leads to spark3:0, the file says to spark2:1"),
                    HasSubstr("swap the plugs in spark1:0 and spark1:1")));
  EXPECT_EQ(spark1.json({"status"})["cables"][0]["state"], "wrong");

  // spark2's cage 0 is plugged in as the file says.
  Running other(spark2.command({"daemon"}));
  wait_until([&] { return state_of(spark2, "enp1s0f0np0") == "proven"; });
  EXPECT_THAT(spark2.reconcile({"status"}).out, HasSubstr("spark3 cage 1  ✓ proven"));
  daemon.signal(SIGTERM);
  other.signal(SIGTERM);
  EXPECT_THAT(daemon.wait(), ExitsWith(0));
  EXPECT_THAT(other.wait(), ExitsWith(0));
}

// D3 of the first day: the cable is in the other cage, and the program said "plug the cable".
TEST(FirstDay, ACableInTheOtherCageIsToldWithTheLineToWrite) {
  const Spark spark;
  const Spark peer{"spark2"};
  for (const auto* prefix : {"enp1s0", "enP2p1s0"}) {
    wire(spark, fmt::format("{}f0np0", prefix), peer, fmt::format("{}f0np0", prefix));
    // A port without a cable: its other end is down.
    spark.ip(
        fmt::format("link add {0}f1np1 type veth peer name x-{0}\nlink set {0}f1np1 up", prefix));
    spark.ip(fmt::format("link set {}f0np0 up", prefix));
    peer.ip(fmt::format("link set {}f0np0 up", prefix));
  }
  spark.file(R"(version: 1
cluster: pair
nodes: { spark1: { number: 11 }, spark2: { number: 12 } }
fabric:
  mtu: 9000
  cables:
    - { ends: [spark1:1, spark2:0], subnets: [192.0.2.0/24, 198.51.100.0/24] }
)");
  const auto* const hint =
      "cage 1 has no carrier; cage 0 has a carrier and is not in the file: move the plug, or write "
      "spark1:0 in `ends`";
  for (const auto* verb : {"plan", "status"}) {
    EXPECT_THAT(spark.reconcile({verb}).out, HasSubstr(hint)) << verb;
  }
  EXPECT_THAT(spark.reconcile({"apply"}), ExitsWith(4));
  EXPECT_THAT(spark.reconcile({"gate"}).out, HasSubstr("or write spark1:0 in `ends`"));
}

TEST(FirstDay, AMissingCardIsNotTakenForAMissingFunction) {
  const Spark spark;
  spark.add_link("enp1s0f0np0");
  spark.file(R"(version: 1
cluster: pair
nodes: { spark1: { number: 11 }, spark2: { number: 12 } }
fabric:
  cables:
    - { ends: [spark1:0, spark2:0], subnets: [192.0.2.0/24, 198.51.100.0/24] }
)");
  EXPECT_THAT(
      spark.reconcile({"status"}).out,
      AllOf(HasSubstr("no such device: enP2p1s0f0np0; other functions of the card are there"),
            Not(HasSubstr("plug the cable"))));
  spark.ip("link delete enp1s0f0np0");
  EXPECT_THAT(spark.reconcile({"status"}).out, AllOf(HasSubstr("not because no cable is plugged"),
                                                     Not(HasSubstr("plug the cable"))));
}

}  // namespace
}  // namespace spark::test
