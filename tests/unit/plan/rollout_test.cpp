#include "plan/rollout.hpp"

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/parse/parse.hpp"
#include "unit/plan/ring_file.hpp"

namespace spark::plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// A ring of three with that section, and that MTU on the cable of spark1 and spark2.
config::Cluster ring(const std::string& rollout, int mtu = 9000,
                     const std::string& of_spark3 = "") {
  const auto parsed =
      config::parse(test::ring_file({.rollout = rollout, .mtu = mtu, .of_spark3 = of_spark3}));
  EXPECT_FALSE(config::has_errors(parsed.diagnostics)) << rollout;
  return parsed.cluster;
}

TEST(RolloutOrder, IsNoneWhereTheFileAsksForNone) {
  const auto cluster = ring("");
  EXPECT_THAT(rollout_order(&cluster, cluster).groups, IsEmpty());
}

TEST(RolloutOrder, HasTheCanaryFirstAndAllOthersThen) {
  const auto cluster = ring("rollout: { canary: spark3 }\n");
  const auto order = rollout_order(&cluster, cluster);
  EXPECT_THAT(order.groups, ElementsAre(ElementsAre("spark3"), ElementsAre("spark1", "spark2")));
  EXPECT_TRUE(order.is_staged());
  EXPECT_THAT(order.before("spark3"), IsEmpty());
  EXPECT_THAT(order.before("spark1"), ElementsAre("spark3"));
}

TEST(RolloutOrder, PutsWhoIsInNoGroupLast) {
  const auto cluster = ring("rollout: { order: [[spark2], [spark1]] }\n");
  EXPECT_THAT(rollout_order(&cluster, cluster).groups,
              ElementsAre(ElementsAre("spark2"), ElementsAre("spark1"), ElementsAre("spark3")));
}

TEST(RolloutOrder, MovesBothEndsOfACableThatChangesTogether) {
  const auto before = ring("");
  const auto after = ring("rollout: { order: [[spark2], [spark3], [spark1]] }\n", 4000);
  const auto order = rollout_order(&before, after);
  EXPECT_THAT(order.groups, ElementsAre(ElementsAre("spark1", "spark2"), ElementsAre("spark3")));
  EXPECT_THAT(order.joined, ElementsAre("spark1 and spark2"));
  EXPECT_THAT(order.before("spark3"), ElementsAre("spark1", "spark2"));
}

TEST(RolloutOrder, CannotBeStagedWhereAllCablesChange) {
  const auto before = ring("");
  auto after = ring("rollout: { canary: spark3 }\n");
  for (auto& segment : after.fabric.segments) segment.mtu = {1500, {}};
  const auto order = rollout_order(&before, after);
  EXPECT_THAT(order.groups, SizeIs(1));
  EXPECT_FALSE(order.is_staged());
  EXPECT_THAT(order.before("spark1"), IsEmpty());
}

TEST(RolloutOrder, WaitsForNobodyThatIsAway) {
  const auto cluster = ring("rollout: { canary: spark3 }\n", 9000, ", away: true");
  EXPECT_THAT(rollout_order(&cluster, cluster).before("spark1"), IsEmpty());
}

TEST(RolloutOrder, OfASwitchMovesThoseWhoseOwnAddressChanges) {
  const auto of = [](int number, const char* more) {
    const auto parsed = config::parse(
        fmt::format("version: 1\ncluster: lab\nnodes:\n"
                    "  spark1: {{ number: 1 }}\n  spark2: {{ number: 2 }}\n"
                    "  spark3: {{ number: {} }}\n"
                    "fabric:\n  switches:\n"
                    "    - {{ name: sw, ports: [spark1:0, spark2:0, spark3:0], mtu: 9000,\n"
                    "        subnets: [192.0.2.0/28, 192.0.2.16/28] }}\n{}",
                    number, more));
    EXPECT_FALSE(config::has_errors(parsed.diagnostics));
    return parsed.cluster;
  };
  const auto before = of(3, "");
  const auto after = of(4, "rollout: { order: [[spark1], [spark2]] }\n");
  EXPECT_THAT(rollout_order(&before, after).groups,
              ElementsAre(ElementsAre("spark1"), ElementsAre("spark2"), ElementsAre("spark3")));
}

TEST(RolloutOrder, OfAFirstFileJoinsNobody) {
  const auto cluster = ring("rollout: { canary: spark3 }\n");
  EXPECT_THAT(rollout_order(nullptr, cluster).groups, SizeIs(2));
}

}  // namespace
}  // namespace spark::plan
