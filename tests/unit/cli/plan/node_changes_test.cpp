#include "cli/plan/node_changes.hpp"

#include <cstdio>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/text/node_changes_text.hpp"
#include "config/parse/parse.hpp"

namespace spark::cli {
namespace {

using Status = NodeChanges::Status;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

config::Cluster cluster_of(const std::string& lines) {
  auto parsed = config::parse("version: 1\ncluster: lab\n" + lines);
  EXPECT_FALSE(config::has_errors(parsed.diagnostics)) << lines;
  return std::move(parsed.cluster);
}

std::vector<NodeChanges> compared(const config::Cluster* from, const config::Cluster& to,
                                  const std::string& only = "") {
  auto found = changes_of_nodes(from, to, only);
  EXPECT_TRUE(found);
  return found ? std::move(*found) : std::vector<NodeChanges>{};
}

std::string shown_text(const std::vector<NodeChanges>& nodes) {
  const Terminal terminal(nullptr, nullptr, Color::kNever, false);
  return node_changes_text(nodes, "cluster.yaml", terminal);
}

constexpr const char* kOld = R"(nodes:
  spark1: { links: { eth0: { mtu: 1500, addresses: [192.0.2.1/24] } } }
  spark2: { links: { eth0: { up: true } } }
  spark3: {}
)";
constexpr const char* kNew = R"(nodes:
  spark1: { links: { eth0: { mtu: 9000, addresses: [192.0.2.1/24] } } }
  spark3: {}
  spark4: { links: { eth0: { up: true, mtu: 9000 } } }
)";

TEST(NodeChanges, AreOfTheNodesOfBothFiles) {
  const auto from = cluster_of(kOld);
  const auto found = compared(&from, cluster_of(kNew));
  std::vector<std::string> statuses;
  statuses.reserve(found.size());
  for (const auto& node : found) {
    statuses.push_back(node.node.name + " " + std::string(name_of(node.status)));
  }
  EXPECT_THAT(statuses,
              ElementsAre("spark1 changed", "spark2 removed", "spark3 same", "spark4 added"));
  EXPECT_EQ(count_of_nodes(found), "1 node changes, 1 is new, 1 is removed, 1 is the same");
}

TEST(NodeChanges, CanBeOfOneNode) {
  const auto from = cluster_of(kOld);
  EXPECT_EQ(count_of_nodes(compared(&from, cluster_of(kNew), "spark1")), "1 node changes");
  EXPECT_FALSE(changes_of_nodes(&from, cluster_of(kNew), "spark9"));
}

TEST(NodeChanges, WithoutAnotherFileAreWhatEachNodeWouldBe) {
  const auto found = compared(nullptr, cluster_of(kNew));
  EXPECT_EQ(found.front().status, Status::kNotCompared);
  EXPECT_EQ(shown_text(found), R"(spark1
  eth0        mtu 9000  192.0.2.1/24
spark3
  the file asks for no link
spark4
  eth0  up    mtu 9000
)");
  const auto json = to_json(found.front());
  EXPECT_FALSE(json.contains("steps"));
  EXPECT_EQ(json["links"][0]["mtu"], 9000);
  EXPECT_EQ(json["links"][0]["up"], nullptr);
}

TEST(NodeChanges, OfANewNodeAreUnknownWithoutTheMachine) {
  const auto from = cluster_of(kOld);
  const auto found = compared(&from, cluster_of(kNew), "spark4");
  EXPECT_THAT(shown_text(found), HasSubstr("spark4: new in the file"));
  EXPECT_EQ(to_json(found.front())["unknown"].size(), 1U);
}

TEST(NodeChanges, OfANodeThatLeavesAreNone) {
  const auto from = cluster_of(kOld);
  const auto found = compared(&from, cluster_of(kNew), "spark2");
  EXPECT_THAT(found.front().plan.steps, IsEmpty());
  EXPECT_THAT(shown_text(found), HasSubstr("spark-reconcile release"));
}

TEST(NodeChanges, SayWhereARdmaDeviceHasAStandInForItsName) {
  const std::string lines = R"(nodes:
  spark1: { number: 1, cages: { 0: [eth2, eth3] } }
  spark2: { number: 2 }
fabric:
  mtu: 9000
  cables: [ { ends: [spark1:0, spark2:0], subnets: [192.0.2.0/24, 198.51.100.0/24] } ]
)";
  const auto from = cluster_of(lines);
  EXPECT_THAT(shown_text(compared(&from, cluster_of(lines + "environment: {}\n"), "spark1")),
              HasSubstr("link eth2: the name of its RDMA device: 'rdma-of-eth2' stands for it"));
}

}  // namespace
}  // namespace spark::cli
