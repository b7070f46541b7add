#include "cli/text/plan_items.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cli/text/plan_text.hpp"

namespace spark::cli {
namespace {

using kinds::Effect;

/// "~ mtu 1500 → 9000" for each item.
std::vector<std::string> shown_items(const std::vector<PlanItem>& items) {
  std::vector<std::string> lines;
  for (const auto& item : items) {
    lines.push_back(std::string(item.sign) + " " + item.text +
                    (item.disturbs.empty() ? "" : " | " + item.disturbs));
  }
  return lines;
}

using Lines = std::vector<std::string>;

/// What a rail gets when it comes from the box.
std::vector<plan::Step> steps_of_rail(const std::string& link, const std::string& ip) {
  const config::Where where{.line = 12, .column = 5};
  return {
      {.kind = "mtu",
       .key = link,
       .before = "1500",
       .after = "9000",
       .effect = {.disturbs = Effect::Disturbs::kTraffic, .link = link},
       .where = where},
      {.kind = "link",
       .key = link,
       .before = "up, link-local eui64 with fe80::" + ip.substr(ip.size() - 1) + "/64",
       .after = "up, link-local none",
       .where = where},
      {.kind = "address", .key = link + " " + ip, .after = "/24", .where = where},
      {.kind = "sysctl",
       .key = "net.ipv4.conf." + link + ".arp_announce",
       .before = "0 (not set at boot)",
       .after = "2",
       .where = where},
      {.kind = "sysctl",
       .key = "net.ipv4.conf." + link + ".arp_ignore",
       .before = "0 (not set at boot)",
       .after = "1",
       .where = where},
      {.kind = "roce", .key = link + " " + ip, .before = "none yet", .after = "RoCE v2"},
  };
}

plan::Plan plan_with(std::vector<plan::Step> steps) {
  plan::Plan plan;
  plan.steps = std::move(steps);
  return plan;
}

TEST(PlanItems, OfARailAreFewAndShort) {
  const auto items = items_of(plan_with(steps_of_rail("eth0", "192.0.2.1")));
  EXPECT_EQ(shown_items(items.links.at("eth0")),
            (Lines{"+ 192.0.2.1/24", "~ mtu 1500 → 9000 | traffic pauses for a moment",
                   "~ IPv6 link-local eui64 → none", "~ arp_announce 0 → 2, arp_ignore 0 → 1"}));
  EXPECT_TRUE(items.node.empty());
}

TEST(PlanItems, OfTwinsDifferInTheirAddressAlone) {
  const auto zero = items_of(plan_with(steps_of_rail("eth0", "192.0.2.1"))).links.at("eth0");
  const auto one = items_of(plan_with(steps_of_rail("eth1", "198.51.100.2"))).links.at("eth1");
  EXPECT_TRUE(are_twins(zero, one));
  auto steps = steps_of_rail("eth1", "198.51.100.2");
  steps.front().before = "4000";
  EXPECT_FALSE(are_twins(zero, items_of(plan_with(steps)).links.at("eth1")));
  steps.erase(steps.begin());
  EXPECT_FALSE(are_twins(zero, items_of(plan_with(steps)).links.at("eth1")));
}

TEST(PlanItems, OfWhatIsNoLinkStandAlone) {
  const auto items = items_of(plan_with(
      {{.kind = "sysctl", .key = "net.core.rmem_max", .before = "1", .after = "2"},
       {.kind = "sysctl", .key = "net.ipv4.conf.all.rp_filter", .before = "1", .after = "2"},
       {.kind = "other_managers", .key = "/etc/netplan/a.yaml", .before = "b", .after = "c"},
       {.kind = "mount", .key = "/data", .before = "x"}}));
  EXPECT_TRUE(items.links.empty());
  EXPECT_EQ(
      shown_items(items.node),
      (Lines{"~ sysctl net.core.rmem_max: 1 → 2", "~ sysctl net.ipv4.conf.all.rp_filter: 1 → 2",
             "~ other_managers /etc/netplan/a.yaml: b → c", "- mount /data: x (removed)"}));
}

TEST(PlanItems, OfASysctlOfALinkWithDotsAreThatLinks) {
  const auto items = items_of(plan_with(
      {{.kind = "sysctl", .key = "net/ipv4/conf/eth0.7/arp_ignore", .before = "0", .after = "1"}}));
  EXPECT_TRUE(items.links.contains("eth0.7"));
}

TEST(PlanItems, KeepTheBootValueWhereItIsWhatChanges) {
  const auto items = items_of(plan_with(
      {{.kind = "sysctl", .key = "vm.x", .before = "2 (not set at boot)", .after = "2"}}));
  EXPECT_EQ(items.node.front().text, "sysctl vm.x: 2 (not set at boot) → 2");
}

TEST(PlanItems, SayThatALineIsGone) {
  const auto items = items_of(plan_with({{.kind = "address",
                                          .key = "eth0 192.0.2.1",
                                          .before = "/24",
                                          .effect = {.disturbs = Effect::Disturbs::kAddress,
                                                     .link = "eth0",
                                                     .ips = {*IpAddress::parse("192.0.2.1")},
                                                     .may_carry_rdma = false}}}));
  EXPECT_EQ(shown_items(items.links.at("eth0")),
            (Lines{"- 192.0.2.1/24 (no longer in the file) | interrupts it"}));
}

/// Cage 0 with both rails, and a link beside it.
config::Node node_with_cage() {
  config::Node node;
  node.links["r0"] = {.name = "r0", .rail = config::Rail{0, 0}};
  node.links["r1"] = {.name = "r1", .rail = config::Rail{0, 1}};
  node.links["lan"] = {.name = "lan"};
  return node;
}

plan::Step pauses(const std::string& link, bool down = false) {
  return {.kind = down ? "link" : "mtu",
          .key = link,
          .effect = {.disturbs = Effect::Disturbs::kTraffic, .link = link, .link_goes_down = down}};
}

plan::Step interrupts(const std::string& kind, const std::string& link, bool rdma) {
  return {.kind = kind,
          .key = link,
          .effect = {.disturbs = Effect::Disturbs::kAddress,
                     .link = link,
                     .ips = {*IpAddress::parse("192.0.2.1")},
                     .may_carry_rdma = rdma}};
}

TEST(Disturbs, IsOneSentence) {
  const auto node = node_with_cage();
  EXPECT_EQ(disturbs_text({}, node), "");
  EXPECT_EQ(disturbs_text(plan_with({pauses("r0"), pauses("r1")}), node),
            "both rails of cage 0, briefly");
  EXPECT_EQ(disturbs_text(plan_with({pauses("r1"), pauses("lan", true)}), node),
            "rail 1 of cage 0, briefly; ends all traffic on lan");
  EXPECT_EQ(disturbs_text(plan_with({interrupts("address", "r0", true)}), node),
            "connections of 192.0.2.1, RDMA too");
}

TEST(Disturbs, SaysNothingOfRdmaWhereThereIsNone) {
  EXPECT_EQ(disturbs_text(plan_with({interrupts("address", "r0", false)}), node_with_cage()),
            "connections of 192.0.2.1");
}

TEST(Disturbs, LeavesOutALinkLocalAddressOfALinkThatPauses) {
  const auto node = node_with_cage();
  EXPECT_EQ(disturbs_text(plan_with({pauses("r0"), interrupts("link", "r0", true)}), node),
            "rail 0 of cage 0, briefly");
  EXPECT_NE(disturbs_text(plan_with({interrupts("link", "r0", true)}), node), "");
}

}  // namespace
}  // namespace spark::cli
