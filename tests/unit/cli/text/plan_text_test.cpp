#include "cli/text/plan_text.hpp"

#include <cstdio>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "kinds/sysctl/sysctl.hpp"
#include "unit/cli/text_file.hpp"

namespace spark::cli {
namespace {

using kinds::Effect;
using kinds::Refusal;
using kinds::Skipped;
using Why = kinds::Skipped::Why;

/// As a terminal without colour, or with it, is given it.
std::string shown(const plan::Plan& plan, Color color = Color::kNever) {
  const TextFile file;
  const Terminal terminal(file.stream(), file.stream(), color, false);
  terminal.print(plan_text(plan, "cluster.yaml", terminal));
  return file.text();
}

/// One of each: what is added, changed, removed, and what a removal leaves.
plan::Plan small_plan() {
  plan::Plan plan;
  plan.steps = {
      {.kind = "address",
       .key = "enp1s0f0np0 198.51.100.11",
       .after = "/24",
       .where = {.line = 12, .column = 5}},
      {.kind = "mtu",
       .key = "enp1s0f0np0",
       .before = "1500",
       .after = "9000",
       .where = {.line = 9, .column = 3}},
      {.kind = "address", .key = "enp1s0f0np0 192.0.2.1", .before = "/24"},
      {.kind = "sysctl", .key = "net.core.rmem_max", .before = "268435456", .left = "212992"}};
  return plan;
}

TEST(PlanText, HasALineForEachStepWithTheLineThatAsks) {
  EXPECT_EQ(shown(small_plan()),
            R"(  + address  enp1s0f0np0 198.51.100.11  /24 (new)                     cluster.yaml:12
  ~ mtu      enp1s0f0np0                1500 → 9000                   cluster.yaml:9
  - address  enp1s0f0np0 192.0.2.1      /24 (removed)                 no longer in the file
  - sysctl   net.core.rmem_max          268435456 → 212992 (removed)  no longer in the file
)");
}

TEST(PlanText, OfAnEmptyPlanIsEmpty) {
  EXPECT_EQ(shown({}), "");
  EXPECT_EQ(shown({}, Color::kAlways), "");
}

TEST(PlanText, PaintsTheSignsAndWhatIsBesideTheChange) {
  plan::Plan plan;
  plan.steps = {{.kind = "mtu",
                 .key = "eth0",
                 .before = "1500",
                 .after = "9000",
                 .effect = {.disturbs = Effect::Disturbs::kTraffic, .link = "eth0"},
                 .where = {.line = 9, .column = 3}}};
  plan.skipped = {{.kind = "mtu",
                   .key = "eth1",
                   .skipped = {Why::kWaiting, "SR-LINK-001", "no such device"},
                   .where = {.line = 10, .column = 3}}};
  plan.left_unchanged = {{"address eth0 192.0.2.7/24", "not in the file"}};
  plan.refusals = {{Refusal::Why::kRefused, "SR-GUARD-001", "cuts off ssh", {11, 3}}};
  EXPECT_EQ(shown(plan, Color::kAlways),
            "  \x1b[33m~\x1b[0m mtu  eth0  1500 → 9000  \x1b[2mcluster.yaml:9\x1b[0m"
            "  \x1b[33mpauses traffic on eth0\x1b[0m\n"
            "\n"
            "skipped (everything else continues):\n"
            "  \x1b[33mwaiting:\x1b[0m mtu eth1\x1b[2m (cluster.yaml:10)\x1b[0m\n"
            "    no such device [SR-LINK-001]\n"
            "\n"
            "not managed, left unchanged:\n"
            "    address eth0 192.0.2.7/24  \x1b[2mnot in the file\x1b[0m\n"
            "\n"
            "\x1b[31mrefused; nothing is changed:\x1b[0m\n"
            "  \x1b[31m!\x1b[0m cuts off ssh [SR-GUARD-001]  \x1b[2mcluster.yaml:11\x1b[0m\n");
}

/// The end of the line of a step that does this.
std::string disturbance(const Effect& effect) {
  plan::Plan plan;
  plan.steps = {{.kind = "k", .key = "a", .after = "1", .effect = effect}};
  const auto text = shown(plan);
  const std::string begin = "  + k  a  1 (new)  no longer in the file";
  EXPECT_TRUE(text.starts_with(begin)) << text;
  return text.substr(begin.size());
}

TEST(PlanText, SaysWhomAStepDisturbs) {
  const auto ip = [](const char* text) { return *IpAddress::parse(text); };
  EXPECT_EQ(disturbance({}), "\n");
  EXPECT_EQ(
      disturbance(
          {.disturbs = Effect::Disturbs::kAddress, .link = "eth0", .ips = {ip("198.51.100.11")}}),
      "  interrupts 198.51.100.11, RDMA on it included\n");
  EXPECT_EQ(disturbance({.disturbs = Effect::Disturbs::kAddress,
                         .link = "eth0",
                         .ips = {ip("2001:db8::1"), ip("2001:db8::2"), ip("2001:db8::3")},
                         .sets_promote_secondaries = true}),
            "  interrupts 2001:db8::1 and 2 more, RDMA on it included; promote_secondaries is 1 "
            "meanwhile, so that no other goes with it\n");
  EXPECT_EQ(disturbance({.disturbs = Effect::Disturbs::kTraffic, .link = "eth0"}),
            "  pauses traffic on eth0\n");
  EXPECT_EQ(
      disturbance({.disturbs = Effect::Disturbs::kTraffic, .link = "eth0", .link_goes_down = true}),
      "  ends all traffic on eth0\n");
  EXPECT_EQ(
      disturbance({.disturbs = Effect::Disturbs::kTraffic, .link = "eth0", .ends_ipv6 = true}),
      "  ends IPv6 on eth0\n");
  EXPECT_EQ(disturbance({.disturbs = Effect::Disturbs::kTraffic, .ends_ipv6 = true}),
            "  ends IPv6 on every link\n");
}

TEST(PlanText, KeepsThePlacesInSightBesideAVeryLongValue) {
  plan::Plan plan;
  plan.steps = {{.kind = "hosts", .key = "b", .before = std::string(60, 'x'), .after = "y"},
                {.kind = "mtu", .key = "a", .before = "1", .after = "2"}};
  EXPECT_EQ(
      shown(plan),
      R"(  ~ hosts  b  xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx → y  no longer in the file
  ~ mtu    a  1 → 2                                             no longer in the file
)");
}

TEST(PlanText, OfARefusedPlanSaysWhyAtTheEnd) {
  plan::Plan plan;
  plan.refusals = {
      {Refusal::Why::kImpossible, "SR-MTU-001", "9000 is above the 1500 of 'eth0'", {9, 3}},
      {Refusal::Why::kRefused, "SR-GUARD-001", "the default route goes over 'eth0'", {}}};
  EXPECT_EQ(shown(plan),
            "refused; nothing is changed:\n"
            "  ! 9000 is above the 1500 of 'eth0' [SR-MTU-001]  cluster.yaml:9\n"
            "  ! the default route goes over 'eth0' [SR-GUARD-001]\n");
}

/// Two resources of one absent device, one that cannot be read, and one that runs on.
plan::Plan plan_with_skipped() {
  const Skipped absent{Why::kWaiting, "SR-LINK-001", "there is no 'eth1'"};
  plan::Plan plan;
  plan.skipped = {{"mtu", "eth1", absent, {9, 3}},
                  {"sysctl", "kernel.x", {Why::kUnknown, "SR-SYS-001", "no such key"}, {20, 3}},
                  {"address", "eth1 192.0.2.1", absent, {}},
                  {"memlock", "sshd", {Why::kPending, "SR-MEM-001", "it runs"}, {}},
                  {"mount", "/data", {Why::kNotEnforced, "SR-MNT-001", "it is in use"}, {}}};
  plan.in_sync = 3;
  return plan;
}

TEST(SkippedText, SaysEachReasonOnce) {
  const Terminal terminal(stdout, stderr, Color::kNever, false);
  EXPECT_EQ(skipped_text(plan_with_skipped(), "cluster.yaml", terminal),
            "  waiting: mtu eth1 (cluster.yaml:9), address eth1 192.0.2.1\n"
            "    there is no 'eth1' [SR-LINK-001]\n"
            "  unknown: sysctl kernel.x (cluster.yaml:20)\n"
            "    no such key [SR-SYS-001]\n"
            "  pending: memlock sshd\n"
            "    it runs [SR-MEM-001]\n"
            "  not enforced: mount /data\n"
            "    it is in use [SR-MNT-001]\n");
  EXPECT_EQ(skipped_text({}, "cluster.yaml", terminal), "");
}

TEST(CountsText, CountsWhatIsDoneAndWhatIsSkipped) {
  EXPECT_EQ(counts_text({}), "0 in sync");
  EXPECT_EQ(counts_text(plan_with_skipped()),
            "3 in sync; 1 not enforced; 1 pending; 1 unknown; 2 waiting");
  auto plan = small_plan();
  plan.in_sync = 12;
  EXPECT_EQ(counts_text(plan), "1 to add, 1 to change, 2 to remove; 12 in sync");
}

TEST(ChangeText, SaysWhatIsThereBeforeAndAfter) {
  EXPECT_EQ(change_text({.after = "/24"}), "/24 (new)");
  EXPECT_EQ(change_text({.before = "1500", .after = "9000"}), "1500 → 9000");
  EXPECT_EQ(change_text({.before = "/24"}), "/24 (removed)");
  EXPECT_EQ(change_text({.before = "600 (not set at boot)", .left = "7200"}),
            "600 (not set at boot) → 7200 (removed)");
  EXPECT_EQ(change_text({.before = "9000", .left = "9000"}), "9000 (stays)");
}

/// A name from outside that clears the screen, paints, and begins a line of its own.
constexpr const char* kHostile = "a\x1b[2J\x1b[32m\n  + mtu eth9";
constexpr const char* kHarmless = "a\\x1b[2J\\x1b[32m\\x0a  + mtu eth9";

TEST(PlanText, GivesTheTerminalNoOrdersOfOthers) {
  plan::Plan plan;
  plan.steps = {{.kind = "mount", .key = kHostile, .before = kHostile, .after = kHostile}};
  plan.skipped = {{"memlock", kHostile, {Why::kPending, "SR-MEM-001", kHostile}, {}}};
  plan.left_unchanged = {{kHostile, kHostile}};
  plan.refusals = {{Refusal::Why::kRefused, "SR-GUARD-001", kHostile, {}}};
  const std::string name = kHarmless;
  const auto end = "  no longer in the file\n";
  EXPECT_EQ(shown(plan), "  ~ mount  " + name + "  " + name + " → " + name + end +
                             "\n"
                             "skipped (everything else continues):\n"
                             "  pending: memlock " +
                             name +
                             "\n"
                             "    " +
                             name +
                             " [SR-MEM-001]\n"
                             "\n"
                             "not managed, left unchanged:\n"
                             "    " +
                             name + "  " + name +
                             "\n"
                             "\n"
                             "refused; nothing is changed:\n"
                             "  ! " +
                             name + " [SR-GUARD-001]\n");
  // With colour too, where the tones of this program pass.
  EXPECT_EQ(shown(plan, Color::kAlways).find(kHostile), std::string::npos);
  EXPECT_EQ(shown(plan, Color::kAlways).find("\x1b[32m"), std::string::npos);
}

TEST(PlanText, AlignsNamesOfOtherScripts) {
  plan::Plan plan;
  plan.steps = {{.kind = "mount", .key = "/daten/größe", .after = "ext4"},
                {.kind = "mount", .key = "/data", .after = "ext4"}};
  EXPECT_EQ(shown(plan),
            "  + mount  /daten/größe  ext4 (new)  no longer in the file\n"
            "  + mount  /data         ext4 (new)  no longer in the file\n");
}

TEST(SysctlLabel, HasAWordForAnEmptyValue) {
  EXPECT_EQ(kinds::SysctlSetting::label(kinds::SysctlSetting::Value{.live = "", .boot = "7"}),
            "none (7 at boot)");
  EXPECT_EQ(kinds::SysctlSetting::label(kinds::SysctlSetting::Value{}), "none");
}

}  // namespace
}  // namespace spark::cli
