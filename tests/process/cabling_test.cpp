// The first day of an owner: cables in the wrong place, and what the program says of them.

#include <chrono>
#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <poll.h>

#include "process/spark.hpp"

namespace spark::test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

using Clock = std::chrono::steady_clock;

constexpr std::chrono::minutes kLongest{1};

std::string state_of(const Spark& spark, const std::string& link) {
  const auto status =
      nlohmann::json::parse(spark.read("/run/spark-reconcile/status.json"), nullptr, false);
  if (!status.is_object()) return "";
  for (const auto& record : status["links"]) {
    if (record["name"] == link && record["cabling"].is_object()) return record["cabling"]["state"];
  }
  return "";
}

/// Id, finding and remedy of each rail's cabling.
std::vector<std::string> cabling_of(const nlohmann::json& gate) {
  std::vector<std::string> found;
  for (const auto& rail : gate["rails"]) {
    for (const auto& fact : rail["facts"]) {
      if (fact["name"] != "cabling") continue;
      found.push_back(fmt::format("{} {}: {}", fact["id"].get<std::string>(),
                                  fact["measured"].get<std::string>(),
                                  fact["remedy"].get<std::string>()));
    }
  }
  return found;
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
  const auto applied = Clock::now();
  EXPECT_THAT(spark1.reconcile({"status"}).out,
              AllOf(HasSubstr("spark2 cage 1  ? not proven"), Not(HasSubstr("✓ proven"))));

  // Nobody is asked before an address is ten seconds old, and by hand nobody types that fast.
  EXPECT_TRUE(
      wait_until([&] { return Clock::now() - applied > std::chrono::seconds(3); }, kLongest));
  const auto began = Clock::now();
  const auto alone = cabling_of(spark1.json({"gate"}));
  EXPECT_LT(Clock::now() - began, std::chrono::seconds(60)) << "it waits ten seconds at most";
  EXPECT_THAT(alone, SizeIs(4));
  EXPECT_THAT(alone,
              Contains("SR-GATE-016 the cable in spark1:0 leads to spark3:0, the file says to "
                       "spark2:1: swap the plugs in spark1:0 and spark1:1"));

  Running daemon(spark1.command({"daemon"}));
  EXPECT_TRUE(wait_until([&] { return state_of(spark1, "enp1s0f0np0") == "wrong"; }, kLongest));
  EXPECT_EQ(cabling_of(spark1.json({"gate"})), alone);
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
  EXPECT_TRUE(wait_until([&] { return state_of(spark2, "enp1s0f0np0") == "proven"; }, kLongest));
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

/// Eight Sparks on one switch, both rails of cage 0.
class SwitchOfEight : public testing::Test {
 protected:
  SwitchOfEight() {
    switch_.ip("link add sw type bridge mcast_snooping 0\nlink set sw up");
    std::string nodes;
    std::string ports;
    for (int number = 1; number <= kNodes; ++number) {
      nodes += fmt::format("  n{0}: {{ number: {0} }}\n", number);
      ports += fmt::format("{}n{}:0", number == 1 ? "" : ", ", number);
    }
    const auto text = fmt::format(
        "version: 1\ncluster: rack\nnodes:\n{}fabric:\n  mtu: 9000\n  switches:\n"
        "    - {{ name: sw, ports: [{}], subnets: [192.0.2.0/24, 198.51.100.0/24] }}\n",
        nodes, ports);
    for (int number = 1; number <= kNodes; ++number) {
      auto& spark = sparks_.emplace_back(std::make_unique<Spark>(fmt::format("n{}", number)));
      for (const auto* rail : {"enp1s0f0np0", "enP2p1s0f0np0"}) {
        const auto port = fmt::format("{}{}", rail[2] == 'p' ? "a" : "b", number);
        wire(*spark, rail, switch_, port);
        switch_.ip(fmt::format("link set {} mtu 9000 addrgenmode none master sw up", port));
        spark->ip(fmt::format("link set {} up", rail));
      }
      spark->file(text);
      EXPECT_THAT(spark->reconcile({"apply"}), ExitsWith(4)) << "virtual links have no RDMA";
    }
  }

  /// Frames that came into the switch from all rails.
  [[nodiscard]] int frames() const {
    int count = 0;
    const auto said = run({.argv = {"ip", "-json", "-stats", "link", "show", "master", "sw"},
                           .network = switch_.network()});
    const auto links = nlohmann::json::parse(said.out);
    for (const auto& link : links) count += link["stats64"]["rx"]["packets"].get<int>();
    return count;
  }

  [[nodiscard]] bool all_are(const std::string& state) const {
    return std::ranges::all_of(sparks_, [&](const auto& spark) {
      return state_of(*spark, "enp1s0f0np0") == state && state_of(*spark, "enP2p1s0f0np0") == state;
    });
  }

  static constexpr int kNodes = 8;
  Spark switch_{"switch"};
  std::vector<std::unique_ptr<Spark>> sparks_;
};

TEST_F(SwitchOfEight, IsProvenWithFewFramesAndThenSilent) {
  const auto before = frames();
  std::vector<std::unique_ptr<Running>> daemons;
  daemons.reserve(sparks_.size());
  for (const auto& spark : sparks_) {
    daemons.push_back(std::make_unique<Running>(spark->command({"daemon"})));
  }
  EXPECT_TRUE(wait_until([&] { return all_are("proven"); }, kLongest));
  // Until three seconds bring nothing new: the last questions come some ten seconds after the
  // start.
  int last = 0;
  int quiet = 0;
  const auto is_quiet = [&] {
    const auto now = frames();
    quiet = now == last ? quiet + 1 : 0;
    last = now;
    return quiet > 60;
  };
  EXPECT_TRUE(wait_until(is_quiet, kLongest));
  // For each of the 112 pairs of rails: an echo and its answer in each of three looks, and the
  // kernel's own ARP. Beside them each rail asks twice who else has its address.
  constexpr int kPairs = kNodes * (kNodes - 1) * 2;
  EXPECT_LE(last - before, 12 * kPairs);
  for (const auto& daemon : daemons) daemon->signal(SIGTERM);
  for (const auto& daemon : daemons) EXPECT_THAT(daemon->wait(), ExitsWith(0));
}

}  // namespace
}  // namespace spark::test
