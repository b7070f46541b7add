// Addresses: what is right is never touched, and of the rest only what is ours.

#include <filesystem>
#include <string>
#include <vector>

#include "process/monitor.hpp"
#include "process/spark.hpp"

namespace spark::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Addresses : public ::testing::Test {
 protected:
  Addresses() {
    spark_.add_link("enp1s0f0np0");
    spark_.add_link("enp1s0f1np1");
  }

  /// Makes the addresses in the list those of enp1s0f0np0.
  void converge_on(const std::string& list) {
    spark_.file_with_links("enp1s0f0np0: { addresses: [" + list + "] }");
    EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  }

  /// The same again, with what the kernel says about addresses meanwhile.
  std::vector<std::string> events_of_converging_on(const std::string& list) {
    spark_.settle();  // the kernel announces an address again when its own checks are over
    Monitor monitor(spark_.network());
    converge_on(list);
    return monitor.take_addresses();
  }

  Spark spark_;
};

TEST_F(Addresses, AnotherOneIsThereBeforeTheOldOneGoes) {
  converge_on("192.0.2.1/24, 198.51.100.1/24, '2001:db8::1/64'");
  EXPECT_THAT(events_of_converging_on("203.0.113.1/24, 198.51.100.1/24, '2001:db8::1/64'"),
              ElementsAre("add 203.0.113.1/24", "remove 192.0.2.1/24"));
  EXPECT_THAT(events_of_converging_on("203.0.113.1/24, 198.51.100.1/24, '2001:db8::2/64'"),
              ElementsAre("add 2001:db8::2/64", "remove 2001:db8::1/64"));
  // In the old one's subnet the new one is a secondary, until it is promoted.
  EXPECT_THAT(events_of_converging_on("203.0.113.2/24, 198.51.100.1/24, '2001:db8::2/64'"),
              ElementsAre("add 203.0.113.2/24", "remove 203.0.113.1/24"));
}

TEST_F(Addresses, ASecondLengthOfOursBySomeoneElseStaysWhenOursGoes) {
  converge_on("192.0.2.1/24");
  spark_.ip("address add 192.0.2.1/16 dev enp1s0f0np0");
  converge_on("192.0.2.1/24");
  spark_.file_with_links("enp1s0f0np0: { up: true }");
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  EXPECT_THAT(spark_.addresses("enp1s0f0np0"), ElementsAre("192.0.2.1/16"));
}

TEST_F(Addresses, OneEndOfAPointToPointLinkIsNotTakenForASubnet) {
  spark_.ip("address add 192.0.2.1 peer 198.51.100.9/24 dev enp1s0f0np0");
  spark_.file_with_links("enp1s0f0np0: { addresses: [192.0.2.1/24] }");
  const auto outcome = spark_.reconcile({"apply"});
  EXPECT_THAT(outcome, ExitsWith(4));
  EXPECT_THAT(outcome.out, HasSubstr("[SR-ADDR-002]"));
}

TEST_F(Addresses, OfIpv6AreSkippedWhereItIsDisabled) {
  spark_.set_sysctl("net.ipv6.conf.enp1s0f0np0.disable_ipv6", "1");
  spark_.file_with_links("enp1s0f0np0: { addresses: [192.0.2.1/24, '2001:db8::1/64'] }");
  const auto outcome = spark_.reconcile({"apply"});
  EXPECT_THAT(outcome, ExitsWith(4));
  EXPECT_THAT(outcome.out, HasSubstr("[SR-ADDR-003]"));
  EXPECT_THAT(spark_.addresses("enp1s0f0np0"), ElementsAre("192.0.2.1/24"));
}

TEST_F(Addresses, ALinkThatServesOthersIsNotExclusive) {
  const auto refused = [&](const std::string& why) {
    spark_.file_with_links("enp1s0f0np0: { addresses: [198.51.100.1/24], exclusive: true }");
    const auto outcome = spark_.reconcile({"apply"});
    EXPECT_THAT(outcome, ExitsWith(6));
    EXPECT_THAT(outcome.err, HasSubstr(why));
  };
  spark_.ip("address add 192.0.2.1/24 dev enp1s0f0np0\nroute add 203.0.113.0/24 via 192.0.2.254");
  refused("the gateway 192.0.2.254 is reached from it");
  spark_.ip("route delete 203.0.113.0/24");
  spark_.write("/etc/resolv.conf", "search example\nnameserver 192.0.2.53\n");
  refused("the DNS server 192.0.2.53 is reached from it");
}

TEST_F(Addresses, AnotherLengthIsAnnouncedAndRemovedBeforeItIsAdded) {
  converge_on("192.0.2.1/24, 198.51.100.1/24, '2001:db8::1/64'");
  spark_.file_with_links(
      "enp1s0f0np0: { addresses: [192.0.2.1/25, 198.51.100.1/24, '2001:db8::1/48'] }");
  const auto plan = spark_.reconcile({"plan", "--detailed-exitcode"});
  EXPECT_THAT(plan, ExitsWith(2));
  EXPECT_THAT(plan.out, HasSubstr("interrupts 192.0.2.1\n"));
  EXPECT_THAT(plan.out, HasSubstr("interrupts 2001:db8::1\n"));
  EXPECT_THAT(events_of_converging_on("192.0.2.1/25, 198.51.100.1/24, '2001:db8::1/48'"),
              ElementsAre("remove 192.0.2.1/24", "add 192.0.2.1/25", "remove 2001:db8::1/64",
                          "add 2001:db8::1/48"));
}

TEST_F(Addresses, OneThatMovesToAnotherLinkIsRemovedBeforeItIsAdded) {
  converge_on("192.0.2.1/24");
  spark_.file_with_links("enp1s0f1np1: { addresses: [192.0.2.1/24] }");
  EXPECT_THAT(spark_.reconcile({"plan"}).out, HasSubstr("interrupts 192.0.2.1\n"));
  Monitor monitor(spark_.network());
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  EXPECT_THAT(monitor.take_addresses(), ElementsAre("remove 192.0.2.1/24", "add 192.0.2.1/24"));
  EXPECT_THAT(spark_.addresses("enp1s0f1np1"), ElementsAre("192.0.2.1/24"));
}

TEST_F(Addresses, ALineThatLeavesTakesOursAndNoOther) {
  converge_on("192.0.2.1/24, 198.51.100.1/24");
  spark_.ip("address add 203.0.113.9/24 dev enp1s0f0np0");
  EXPECT_THAT(spark_.reconcile({"plan"}).out, HasSubstr("address enp1s0f0np0 203.0.113.9/24"));
  EXPECT_THAT(events_of_converging_on("192.0.2.1/24"), ElementsAre("remove 198.51.100.1/24"));
  // Not even one of the link's lines is left.
  spark_.file_with_links("enp1s0f1np1: { up: true }");
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  EXPECT_THAT(spark_.addresses("enp1s0f0np0"), ElementsAre("203.0.113.9/24"));
}

TEST_F(Addresses, OneThatBearsOurMarkIsOursWithoutTheLedgerToo) {
  converge_on("192.0.2.1/24");
  std::filesystem::remove_all(spark_.host_path("/var"));
  EXPECT_THAT(events_of_converging_on(""), ElementsAre("remove 192.0.2.1/24"));
}

TEST_F(Addresses, OneThatWasThereIsNeverTouched) {
  spark_.ip("address add 192.0.2.1/24 dev enp1s0f0np0");
  EXPECT_THAT(events_of_converging_on("192.0.2.1/24"), IsEmpty());
  EXPECT_THAT(events_of_converging_on(""), IsEmpty());
}

TEST_F(Addresses, OneThatStandsWithAnotherLengthTooIsRight) {
  for (const auto* other : {"192.0.2.1/16", "192.0.2.1/25"}) {
    spark_.ip("address flush dev enp1s0f0np0");
    spark_.ip("address add 192.0.2.1/24 dev enp1s0f0np0");
    spark_.ip(std::string("address add ") + other + " dev enp1s0f0np0");
    EXPECT_THAT(events_of_converging_on("192.0.2.1/24"), IsEmpty()) << other;
    EXPECT_THAT(spark_.reconcile({"plan"}).out, HasSubstr(other));
  }
}

TEST_F(Addresses, FlagsThatTheKernelKeepsAreNoDrift) {
  spark_.ip(
      "address add 192.0.2.1/24 dev enp1s0f0np0\n"
      "address add 192.0.2.2/24 dev enp1s0f0np0 noprefixroute\n"
      "address add 198.51.100.1/24 dev enp1s0f0np0 valid_lft 3600 preferred_lft 1800\n"
      "address add 2001:db8::1/64 dev enp1s0f0np0 noprefixroute valid_lft 3600 preferred_lft 0");
  EXPECT_THAT(
      events_of_converging_on("192.0.2.1/24, 192.0.2.2/24, 198.51.100.1/24, '2001:db8::1/64'"),
      IsEmpty());
}

TEST_F(Addresses, ExclusiveRemovesThoseOfOthersButNotTheKernels) {
  spark_.set_sysctl("net.ipv6.conf.enp1s0f0np0.addr_gen_mode", "0");
  spark_.ip(
      "address add 203.0.113.9/24 dev enp1s0f0np0\n"
      "address add 2001:db8::9/64 dev enp1s0f0np0");
  spark_.file_with_links("enp1s0f0np0: { exclusive: true, addresses: [192.0.2.1/24] }");
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  const auto left = spark_.addresses("enp1s0f0np0");
  EXPECT_THAT(left, ElementsAre("192.0.2.1/24", ::testing::StartsWith("fe80::")));
}

// G5: the reference says "all other addresses".
TEST_F(Addresses, ExclusiveRemovesTheSameOneWithAnotherLength) {
  const std::string links = "enp1s0f0np0: { exclusive: true, addresses: [192.0.2.1/24] }";
  spark_.file_with_links(links);
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  spark_.ip("address add 192.0.2.1/25 dev enp1s0f0np0");
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  EXPECT_THAT(spark_.addresses("enp1s0f0np0"), ElementsAre("192.0.2.1/24"));
}

TEST_F(Addresses, ExclusiveIsRefusedOnALinkThatDhcpFeeds) {
  spark_.ip("address add 203.0.113.9/24 dev enp1s0f0np0 valid_lft 3600 preferred_lft 3600");
  spark_.file_with_links("enp1s0f0np0: { exclusive: true, addresses: [192.0.2.1/24] }");
  const auto outcome = spark_.reconcile({"apply"});
  EXPECT_THAT(outcome, ExitsWith(6));
  EXPECT_THAT(outcome.err, HasSubstr("[SR-ADDR-001]"));
  EXPECT_THAT(spark_.addresses("enp1s0f0np0"), ElementsAre("203.0.113.9/24"));
}

TEST_F(Addresses, APrimaryThatGoesLeavesItsSecondaries) {
  converge_on("192.0.2.1/24, 192.0.2.2/24");
  spark_.ip("address add 192.0.2.9/24 dev enp1s0f0np0");
  ASSERT_EQ(spark_.sysctl("net.ipv4.conf.enp1s0f0np0.promote_secondaries"), "0");
  spark_.file_with_links("enp1s0f0np0: { addresses: [192.0.2.2/24] }");
  EXPECT_THAT(spark_.reconcile({"plan"}).out, HasSubstr("promote_secondaries"));
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  EXPECT_THAT(spark_.addresses("enp1s0f0np0"), ElementsAre("192.0.2.2/24", "192.0.2.9/24"));
  EXPECT_EQ(spark_.sysctl("net.ipv4.conf.enp1s0f0np0.promote_secondaries"), "0");
}

TEST_F(Addresses, OfALinkThatBelongsToTheHostAreComparedAndNeverSet) {
  spark_.ip("address add 203.0.113.9/24 dev enp1s0f0np0");
  spark_.file_with_links(
      "enp1s0f0np0: { owner: host, mtu: 9000, addresses: [203.0.113.9/25, 192.0.2.1/24] }");
  const auto before = spark_.dump();
  const auto outcome = spark_.reconcile({"apply"});
  EXPECT_THAT(outcome, ExitsWith(4));
  EXPECT_THAT(outcome.out, HasSubstr("[SR-OWNER-001]"));
  EXPECT_EQ(spark_.dump(), before);
}

}  // namespace
}  // namespace spark::test
