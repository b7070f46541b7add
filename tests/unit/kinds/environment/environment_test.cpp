// The environment file on a Spark in memory: through select and plan, as apply has it.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_pass.hpp"
#include "kinds/environment/nccl_environment.hpp"
#include "plan/plan.hpp"

namespace spark::kinds {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Not;
using testing::Pair;

constexpr const char* kPath = "/run/spark-reconcile/nccl.env";
constexpr const char* kProfile = "/etc/profile.d/spark-reconcile-nccl.sh";

std::string file_with(const std::string& environment) {
  return R"(
version: 1
cluster: pair
nodes:
  spark1: { number: 11, management: enP7s7 }
  spark2: { number: 12, management: enP7s7 }
fabric:
  cables:
    - { ends: [spark1:0, spark2:0], subnets: [198.51.100.0/24, 203.0.113.0/24] }
)" + environment;
}

class EnvironmentTest : public test::PassTest {
 protected:
  std::string file(const std::string& path = kPath) {
    return host_.files().read(path).value().value_or("");
  }

  /// What is said of the environment besides its steps: "SR-ENV-001".
  std::vector<std::string> skipped(const std::string& text) {
    std::vector<std::string> ids;
    for (const auto& item : plan(text).skipped) {
      if (item.kind == "environment") {
        ids.push_back(item.skipped.id);
      }
    }
    return ids;
  }

  std::vector<plan::Step> steps(const std::string& text) {
    auto steps = plan(text).steps;
    std::erase_if(steps, [](const plan::Step& step) { return step.kind != "environment"; });
    return steps;
  }

  /// By hand: its GID moves to the end of the table.
  void add_again(const std::string& link, const std::string& ip) {
    auto ports = host_.host();
    const auto prefix = *IpPrefix::parse(ip);
    ASSERT_TRUE(ports.netlink.remove_address(link, prefix));
    host_.netlink().add_foreign(link, {.address = prefix});
  }

  const std::string plain_ = file_with("environment: {}\n");
  const std::string pinned_ = file_with("environment: { nccl: { gid_index: pinned } }\n");
};

TEST_F(EnvironmentTest, IsWrittenByTheFirstApplyWithTheDevicesOfThisMachine) {
  ASSERT_EQ(apply(plain_).outcome, apply::Report::Outcome::kApplied);
  EXPECT_THAT(assignments_in(file()), Contains(Pair("NCCL_IB_HCA", "=rocep1s0f0,roceP2p1s0f0")));
  EXPECT_THAT(file(kProfile), IsEmpty());
}

TEST_F(EnvironmentTest, IsNotTouchedWhenAGidMoves) {
  ASSERT_EQ(apply(plain_).outcome, apply::Report::Outcome::kApplied);
  const auto before = host_.rdma().gids("rocep1s0f0", 1)->back().index;
  host_.netlink().add_foreign("enp1s0f0np0", {.address = *IpPrefix::parse("10.9.9.9/24")});
  add_again("enp1s0f0np0", "198.51.100.11/24");
  ASSERT_NE(host_.rdma().gids("rocep1s0f0", 1)->back().index, before);
  EXPECT_THAT(plan(plain_).steps, IsEmpty());
  EXPECT_THAT(skipped(plain_), IsEmpty());
}

TEST_F(EnvironmentTest, FollowsAPinnedIndexWhereAllDevicesHaveIt) {
  apply(pinned_);
  EXPECT_THAT(assignments_in(file()), Not(Contains(Key("NCCL_IB_GID_INDEX"))))
      << "the GIDs came after the plan was made";
  apply(pinned_);
  const auto index = host_.rdma().gids("rocep1s0f0", 1)->back().index;
  EXPECT_THAT(assignments_in(file()), Contains(Pair("NCCL_IB_GID_INDEX", std::to_string(index))));
  EXPECT_THAT(skipped(pinned_), IsEmpty());
}

TEST_F(EnvironmentTest, UnpinsAnIndexThatMovedOnOneDevice) {
  apply(pinned_);
  apply(pinned_);
  host_.netlink().add_foreign("enp1s0f0np0", {.address = *IpPrefix::parse("10.9.9.9/24")});
  add_again("enp1s0f0np0", "198.51.100.11/24");
  const auto changes = steps(pinned_);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_THAT(*changes[0].after, HasSubstr("removed NCCL_IB_GID_INDEX"));
  EXPECT_THAT(skipped(pinned_), testing::ElementsAre("SR-ENV-004"));
  apply(pinned_);
  EXPECT_THAT(assignments_in(file()), Not(Contains(Key("NCCL_IB_GID_INDEX"))));
}

TEST_F(EnvironmentTest, WaitsForTheGidThatIsToBePinned) {
  EXPECT_THAT(skipped(pinned_), testing::ElementsAre("SR-ENV-005"));
}

TEST_F(EnvironmentTest, WaitsWhileADeviceIsAbsentAndKeepsWhatIsThere) {
  ASSERT_EQ(apply(plain_).outcome, apply::Report::Outcome::kApplied);
  const auto before = file();
  host_.rdma().detach("roceP2p1s0f0");
  EXPECT_THAT(skipped(plain_), testing::ElementsAre("SR-ROCE-002"));
  EXPECT_THAT(steps(plain_), IsEmpty());
  host_.netlink().unplug("enP2p1s0f0np0");
  EXPECT_THAT(skipped(plain_), testing::ElementsAre("SR-LINK-001"));
  EXPECT_THAT(steps(plain_), IsEmpty()) << "half of the rails would be half of the bandwidth";
  EXPECT_EQ(file(), before);
}

TEST_F(EnvironmentTest, IsUnknownWhereThePortsCannotBeRead) {
  host_.make_unreadable("RDMA ports");
  const auto wanted = plan(plain_);
  for (const auto& item : wanted.skipped) {
    EXPECT_EQ(item.skipped.why, Skipped::Why::kUnknown) << item.key;
  }
  EXPECT_THAT(skipped(plain_), testing::ElementsAre("SR-HOST-001"));
}

TEST_F(EnvironmentTest, ShowsWhichVariablesChange) {
  apply(plain_);
  const auto changes = steps(
      file_with("environment: { nccl: { variables: { NCCL_DEBUG: INFO, NCCL_CROSS_NIC: 2 } } }\n"));
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(*changes[0].before, "15 variables");
  EXPECT_EQ(*changes[0].after, "16 variables: changed NCCL_CROSS_NIC=2 (was 0); added NCCL_DEBUG");
}

TEST_F(EnvironmentTest, RestoresWhatWasEditedByHand) {
  apply(plain_);
  const auto ours = file();
  host_.files().put(kPath, "NCCL_IB_GID_INDEX=3\n\x1b[2J=1\n");
  const auto changes = steps(plain_);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_THAT(*changes[0].after, Not(HasSubstr("\x1b")));
  apply(plain_);
  EXPECT_EQ(file(), ours);
}

TEST_F(EnvironmentTest, LeavesAProfileOfSomeoneElseAlone) {
  host_.files().put(kProfile, "export NCCL_DEBUG=INFO\n");
  const auto with_profile = file_with("environment: { profile: true }\n");
  EXPECT_THAT(skipped(with_profile), testing::ElementsAre("SR-ENV-002"));
  apply(with_profile);
  EXPECT_EQ(file(kProfile), "export NCCL_DEBUG=INFO\n");
  EXPECT_THAT(file(), Not(IsEmpty()));
  apply(file_with(""));
  EXPECT_EQ(file(kProfile), "export NCCL_DEBUG=INFO\n");
}

TEST_F(EnvironmentTest, IsRemovedWithItsLine) {
  apply(file_with("environment: { profile: true }\n"));
  EXPECT_THAT(file(kProfile), HasSubstr("\nexport NCCL_NET='IB'\n"));
  apply(plain_);
  EXPECT_THAT(file(kProfile), IsEmpty());
  EXPECT_THAT(file(), Not(IsEmpty()));
  apply(file_with(""));
  EXPECT_THAT(file(), IsEmpty());
}

TEST_F(EnvironmentTest, NamesAnAddressThatNcclWouldTakeInPlaceOfOurs) {
  apply(plain_);
  // Before ours, in the range of both rails.
  host_.netlink().add_foreign("enp1s0f0np0", {.address = *IpPrefix::parse("198.51.101.77/24")});
  EXPECT_THAT(skipped(plain_), IsEmpty()) << "its GID comes after ours";
  add_again("enp1s0f0np0", "198.51.100.11/24");
  EXPECT_THAT(skipped(plain_), testing::ElementsAre("SR-ENV-006"));
}

TEST_F(EnvironmentTest, RefusesRailsWithoutACommonFamily) {
  auto mixed = plain_;
  mixed.replace(mixed.find("203.0.113.0/24"), 14, "'2001:db8::/64'");
  EXPECT_THAT(skipped(mixed), testing::ElementsAre("SR-ENV-001"));
  EXPECT_THAT(steps(mixed), IsEmpty());
}

TEST_F(EnvironmentTest, SaysThatARingNeedsTheManagementLink) {
  const std::string ring = R"(
version: 1
cluster: ring
nodes: { spark1: { number: 11 }, spark2: { number: 12 }, spark3: { number: 13 } }
fabric:
  cables:
    - { ends: [spark1:0, spark2:1], subnets: [10.1.0.0/24, 10.2.0.0/24] }
    - { ends: [spark3:0, spark1:1], subnets: [10.3.0.0/24, 10.4.0.0/24] }
    - { ends: [spark2:0, spark3:1], subnets: [10.5.0.0/24, 10.6.0.0/24] }
environment: {}
)";
  EXPECT_THAT(skipped(ring), testing::ElementsAre("SR-ENV-003"));
  EXPECT_EQ(steps(ring).size(), 1U) << "the rest is written all the same";
}

TEST_F(EnvironmentTest, WritesNoNameThatAShellWouldTakeApart) {
  test::FakeHost host;
  test::add_spark(host, {"a;b", "enP2p1s0f0np0", "enp1s0f1np1", "enP2p1s0f1np1"});
  auto ports = host.host();
  const auto found = test::plan_on(ports, test::node_on(host, plain_));
  EXPECT_THAT(found.skipped, Contains(testing::Field(&plan::SkippedResource::skipped,
                                                     testing::Field(&Skipped::id, "SR-ENV-007"))));
}

TEST_F(EnvironmentTest, IsNotAskedForWhereNoRailIs) {
  EXPECT_THAT(plan("version: 1\ncluster: one\nnodes: { spark1: {} }\nenvironment: {}\n").skipped,
              IsEmpty());
}

}  // namespace
}  // namespace spark::kinds
