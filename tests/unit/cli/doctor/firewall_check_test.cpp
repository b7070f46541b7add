#include "cli/doctor/checks.hpp"
#include "protocol/paths.hpp"
#include "unit/cli/doctor/asked.hpp"

namespace spark::cli {
namespace {

using host::BaseChain;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class FirewallCheck : public ::testing::Test {
 protected:
  FirewallCheck() { test::add_spark(machine_); }

  void add(const std::string& family, const std::string& name, BaseChain::Hook hook, bool drops) {
    machine_.netlink().add_base_chain(
        {.family = family, .table = "filter", .name = name, .hook = hook, .drops = drops});
  }
  [[nodiscard]] Findings found() { return asked(check_firewall, machine_); }

  test::FakeHost machine_;
};

TEST_F(FirewallCheck, IsGoodWhereNoPolicyDrops) {
  add("ip", "INPUT", BaseChain::Hook::kInput, false);
  EXPECT_THAT(found(), ElementsAre(says("firewall", Severity::kGood, "no chain of nftables")));
}

TEST_F(FirewallCheck, NamesTheChainsThatDropWhatComesIn) {
  add("ip", "INPUT", BaseChain::Hook::kInput, true);
  add("ip6", "INPUT", BaseChain::Hook::kInput, true);
  const auto findings = found();
  ASSERT_THAT(findings,
              ElementsAre(says("firewall", Severity::kLook,
                               "dropped by 'ip filter INPUT' and 'ip6 filter INPUT': TCP from")));
  EXPECT_THAT(findings.front().remedy, HasSubstr("`sudo nft list ruleset`"));
}

TEST_F(FirewallCheck, ForwardingOfDockerIsNoFault) {
  add("ip", "FORWARD", BaseChain::Hook::kForward, true);
  EXPECT_THAT(found(),
              Contains(says("firewall", Severity::kGood, "dropped by 'ip filter FORWARD', as")));
}

TEST_F(FirewallCheck, IsToLookAtWhereTheFileWantsForwarding) {
  machine_.files().put(protocol::kDefaultFile, R"(version: 1
cluster: pair
nodes: { spark1: { number: 11 }, spark2: { number: 12 } }
fabric:
  cables:
    - { ends: [spark1:0, spark2:0], subnets: [198.51.100.0/24, 203.0.113.0/24] }
host:
  sysctl: { net.ipv4.ip_forward: 1 }
)");
  add("ip", "FORWARD", BaseChain::Hook::kForward, true);
  EXPECT_THAT(found(),
              Contains(says("firewall", Severity::kLook, "the file has net.ipv4.ip_forward: 1")));
}

TEST_F(FirewallCheck, DoesNotAskWhereTheQuestionWouldLoadAModule) {
  add("ip", "INPUT", BaseChain::Hook::kInput, true);
  machine_.modules().add("nf_tables");
  EXPECT_THAT(found(), ElementsAre(says("firewall", Severity::kGood, "nftables is not loaded")));
  machine_.modules().load("nf_tables");
  EXPECT_THAT(found(), ElementsAre(says("firewall", Severity::kLook, "'ip filter INPUT'")));
}

TEST_F(FirewallCheck, SaysThatLegacyTablesAreNotLookedAt) {
  EXPECT_THAT(found(), Not(Contains(says("firewall", Severity::kGood, "iptables-legacy"))));
  machine_.files().put("/proc/net/ip_tables_names", "filter\n");
  EXPECT_THAT(found(), Contains(says("firewall", Severity::kGood, "iptables-legacy has tables")));
}

TEST(FirewallCheckWithoutACard, SaysNothing) {
  test::FakeHost machine;
  EXPECT_THAT(asked(check_firewall, machine), IsEmpty());
}

}  // namespace
}  // namespace spark::cli
