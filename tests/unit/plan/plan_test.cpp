#include "plan/plan.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_pass.hpp"

namespace spark::plan {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class PlanTest : public test::PassTest {
 protected:
  static std::vector<std::string> names(const Plan& plan) {
    std::vector<std::string> names;
    for (const auto& step : plan.steps) {
      names.push_back(step.name());
    }
    return names;
  }
};

TEST_F(PlanTest, DoesNotCallInSyncWhatTheNextBootSetsOtherwise) {
  host_.sysctl().set("net.core.rmem_max", "777777");
  host_.files().put("/etc/sysctl.d/99-z.conf", "net.core.rmem_max = 1\n");
  const auto now = plan(test::one_setting_text());
  EXPECT_THAT(now.steps, IsEmpty());
  EXPECT_EQ(now.in_sync, 0U);
  ASSERT_EQ(now.skipped.size(), 1U);
  EXPECT_EQ(now.skipped[0].skipped.id, "SR-SYSCTL-003");
  EXPECT_EQ(now.skipped[0].where.line, 5) << "the line that asks";
}

TEST_F(PlanTest, SetsTheLiveValueAloneWhereOurBootFileIsALink) {
  host_.files().make_link("/etc/sysctl.d/90-spark-reconcile.conf");
  const auto now = plan(test::one_setting_text());
  EXPECT_THAT(names(now), ElementsAre("sysctl net.core.rmem_max"));
  ASSERT_EQ(now.skipped.size(), 1U);
  EXPECT_EQ(now.skipped[0].skipped.id, "SR-HOST-002");
  auto ports = host_.host();
  EXPECT_TRUE(kinds::is_done(now.steps[0].apply(ports)));
  EXPECT_THAT(plan(test::one_setting_text()).steps, IsEmpty());
}

TEST_F(PlanTest, WritesOurLineWhereOnlyALaterPatternSaysOtherwise) {
  host_.sysctl().set("net.core.rmem_max", "777777");
  host_.files().put("/etc/sysctl.d/99-z.conf", "net.core.*_max = 1\n");
  const auto now = plan(test::one_setting_text());
  EXPECT_THAT(names(now), ElementsAre("sysctl net.core.rmem_max"));
  EXPECT_THAT(now.skipped, IsEmpty());
}

TEST_F(PlanTest, NamesTheBootLineForAllLinksThatOverrulesARail) {
  host_.files().put("/etc/sysctl.d/50-a.conf", "net.ipv4.conf.all.arp_ignore = 2\n");
  const auto now = plan(test::pair_text());
  ASSERT_THAT(now.skipped, Not(IsEmpty()));
  EXPECT_EQ(now.skipped[0].key, "net.ipv4.conf.enP2p1s0f0np0.arp_ignore");
  EXPECT_THAT(now.skipped[0].skipped.reason,
              HasSubstr("/etc/sysctl.d/50-a.conf:1 is for all links"));
}

TEST_F(PlanTest, KeepsARailThatOnlyLinksNameFromAnsweringForTheOther) {
  const auto asks = [&](const std::string& link) {
    return names(
        plan("version: 1\ncluster: one\nnodes: { spark1: { links: { " + link + " } } }\n"));
  };
  EXPECT_THAT(asks("enp1s0f0np0: { addresses: [198.51.100.11/24] }"),
              Contains("sysctl net.ipv4.conf.enp1s0f0np0.arp_ignore"));
  const auto none = Not(Contains(HasSubstr("arp_ignore")));
  EXPECT_THAT(asks("enp1s0f0np0: { addresses: [198.51.100.11/24], owner: host }"), none);
  EXPECT_THAT(asks("enp1s0f0np0: { mtu: 9000 }"), none);
  EXPECT_THAT(asks("enP7s7: { addresses: [198.51.100.11/24] }"), none);
}

TEST_F(PlanTest, NamesTheLineThatHasAnAddressRemoved) {
  host_.netlink().add_foreign("enP7s7", {.address = *IpPrefix::parse("203.0.113.9/24")});
  const std::string file = R"(version: 1
cluster: one
nodes:
  spark1:
    links:
      enP7s7: { exclusive: true, addresses: [192.0.2.10/24] }
)";
  const auto exclusive = plan(file);
  ASSERT_THAT(names(exclusive), ElementsAre("address enP7s7 203.0.113.9"));
  EXPECT_EQ(exclusive.steps[0].where.line, 6);

  const auto moved = plan(file + "      other0: { addresses: [203.0.113.9/24] }\n");
  ASSERT_THAT(names(moved), ElementsAre("address enP7s7 203.0.113.9"));
  EXPECT_EQ(moved.steps[0].where.line, 6) << "other0 is not there";
  host_.netlink().plug({.name = "other0", .up = true, .mtu = 1500});
  const auto there = plan(file + "      other0: { addresses: [203.0.113.9/24] }\n");
  ASSERT_EQ(there.steps.size(), 2U);
  EXPECT_EQ(there.steps[0].name(), "address enP7s7 203.0.113.9");
  EXPECT_EQ(there.steps[0].where.line, 7);

  host_.netlink().add_foreign("enP7s7",
                              {.address = *IpPrefix::parse("203.0.113.10/24"), .protocol = 83});
  const auto ours = plan("version: 1\ncluster: one\nnodes: { spark1: {} }\n");
  ASSERT_THAT(names(ours), ElementsAre("address enP7s7 203.0.113.10"));
  EXPECT_EQ(ours.steps[0].where.line, 0) << "its line is gone";
}

TEST_F(PlanTest, SaysWhatASysctlBecomesWhenItIsRemoved) {
  host_.sysctl().set("net.core.rmem_max", "777777");
  const auto node = test::node_on(host_, "version: 1\ncluster: one\nnodes: { spark1: {} }\n");
  auto ports = host_.host();
  host::View view(ports);
  const auto removed =
      make_plan(node, view, {{"sysctl", {{"net.core.rmem_max", {"777777", "212992"}}}}});
  ASSERT_EQ(removed.steps.size(), 1U);
  EXPECT_EQ(removed.steps[0].after, std::nullopt);
  EXPECT_EQ(removed.steps[0].left, "212992");
}

}  // namespace
}  // namespace spark::plan
