#include "fake/fake_host.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>

#include "fake/names.hpp"

namespace spark::host {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::IsEmpty;

using test::kRail;

class FakeHostTest : public testing::Test {
 protected:
  FakeHostTest() { test::add_spark(world_); }

  Netlink& netlink() { return world_.netlink(); }
  Result<> add(const char* prefix) {
    return netlink().add_address(kRail, {.address = *IpPrefix::parse(prefix)});
  }
  std::vector<std::string> on_rail() {
    std::vector<std::string> texts;
    const auto addresses = netlink().addresses();
    for (const auto& address : *addresses) {
      if (address.link_index == rail().index) {
        texts.push_back(address.address.text());
      }
    }
    return texts;
  }
  LinkInfo rail() {
    const auto links = netlink().links();
    return *std::ranges::find(*links, kRail, &LinkInfo::name);
  }

  test::FakeHost world_;
};

// That the kernel does the same is shown by tests/kernel/netlink_fake_test.cpp.

TEST_F(FakeHostTest, CountsWhatWasCarriedOutByPort) {
  EXPECT_EQ(world_.writes(), 0U);
  ASSERT_TRUE(netlink().set_mtu(kRail, 9000));
  ASSERT_TRUE(world_.host().sysctl.write("net.core.rmem_max", "268435456"));
  ASSERT_TRUE(world_.host().files.write("/etc/hosts", "", 0644));
  ASSERT_FALSE(netlink().set_mtu(kRail, 1));
  EXPECT_EQ(world_.writes(test::FakePort::kNetlink), 1U);
  EXPECT_EQ(world_.writes(test::FakePort::kSysctl), 1U);
  EXPECT_EQ(world_.writes(test::FakePort::kFiles), 1U);
  EXPECT_THAT(world_.written(),
              ElementsAre("set mtu of 'enp1s0f0np0' to 9000",
                          "set sysctl 'net.core.rmem_max' to '268435456'", "write '/etc/hosts'"));
}

TEST_F(FakeHostTest, RefusesTheNthChange) {
  world_.refuse(2);
  EXPECT_TRUE(add("192.0.2.11/24"));
  EXPECT_FALSE(add("192.0.2.12/24"));
  EXPECT_TRUE(add("192.0.2.13/24"));
}

TEST_F(FakeHostTest, RefusesChangesByTheirDescription) {
  world_.refuse_if("remove address");
  EXPECT_TRUE(add("192.0.2.11/24"));
  EXPECT_EQ(netlink().remove_address(kRail, *IpPrefix::parse("192.0.2.11/24")).error().what,
            "remove address '192.0.2.11/24' from 'enp1s0f0np0': refused by the test");
  EXPECT_EQ(world_.writes(), 1U);
}

TEST_F(FakeHostTest, WhatIsMadeUnreadableFails) {
  world_.make_unreadable("addresses");
  world_.make_unreadable("net.core.rmem_max");
  EXPECT_FALSE(netlink().addresses());
  EXPECT_FALSE(world_.host().sysctl.read("net.core.rmem_max"));
  EXPECT_TRUE(netlink().links());
}

TEST_F(FakeHostTest, ACableThatIsPulledTakesTheCarrierAndNoAddress) {
  ASSERT_TRUE(add("2001:db8::11/64"));
  world_.netlink().set_cable(kRail, false);
  EXPECT_FALSE(rail().carrier);
  EXPECT_TRUE(rail().up);
  EXPECT_EQ(on_rail().size(), 2U);
}

TEST_F(FakeHostTest, DetectionOfDuplicatesEndsWhileSomeoneWaits) {
  ASSERT_TRUE(netlink().watch());
  ASSERT_TRUE(add("2001:db8::11/64"));
  EXPECT_TRUE(*netlink().wait_for_event(milliseconds(0)));   // the address is there
  EXPECT_FALSE(*netlink().wait_for_event(milliseconds(0)));  // no time has passed
  EXPECT_TRUE(*netlink().wait_for_event(milliseconds(100)));
  EXPECT_EQ(netlink().addresses()->back().flags & IFA_F_TENTATIVE, 0U);
  EXPECT_FALSE(*netlink().wait_for_event(milliseconds(100)));
}

TEST_F(FakeHostTest, AnAddressThatAnotherMachineHasFailsDetection) {
  world_.netlink().claim_elsewhere(*IpAddress::parse("2001:db8::11"));
  ASSERT_TRUE(netlink().watch());
  ASSERT_TRUE(add("2001:db8::11/64"));
  while (*netlink().wait_for_event(milliseconds(100))) {
  }
  EXPECT_NE(netlink().addresses()->back().flags & IFA_F_DADFAILED, 0U);
}

TEST_F(FakeHostTest, ARemovedDeviceTakesEverythingAlong) {
  ASSERT_TRUE(add("192.0.2.11/24"));
  const int index = rail().index;
  world_.netlink().unplug(kRail);
  const auto addresses = netlink().addresses();
  EXPECT_EQ(std::ranges::count(*addresses, index, &AddressInfo::link_index), 0);
  EXPECT_EQ(netlink().set_up(kRail, true).error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(world_.host().sysctl.read("net.ipv4.conf.enp1s0f0np0.arp_ignore"));
}

TEST_F(FakeHostTest, APacketTakesTheLongestPrefixOfTheFirstTableThatHasOne) {
  ASSERT_TRUE(add("198.51.100.11/24"));
  const auto peer = *IpAddress::parse("198.51.100.12");
  EXPECT_EQ(netlink().route_to(peer, {})->link_index, rail().index);
  world_.netlink().add_route(
      {.destination = *IpPrefix::parse("198.51.100.12/32"), .table = 52, .link_index = 2});
  EXPECT_EQ(netlink().route_to(peer, {})->link_index, rail().index);
  world_.netlink().add_rule({.family = IpFamily::kV4, .priority = 5270, .table = 52});
  EXPECT_EQ(netlink().route_to(peer, {})->table, 52U);
  EXPECT_EQ(netlink().route_to(*IpAddress::parse("203.0.113.1"), {})->destination.prefix_len, 0);
  EXPECT_EQ(netlink().route_to(*IpAddress::parse("2001:db8::1"), {}).error().code,
            ErrorCode::kNotFound);
}

TEST_F(FakeHostTest, ALockThatIsHeldNamesItsHolder) {
  ASSERT_TRUE(world_.files().lock("/run/lock"));
  world_.files().hold_lock("process 1234 (spark-reconcile apply)");
  EXPECT_EQ(
      world_.files().lock("/run/lock").error(),
      (Error{ErrorCode::kBusy, "lock '/run/lock': held by process 1234 (spark-reconcile apply)"}));
}

TEST_F(FakeHostTest, AnEmptyDirectoryAndAnAbsentOneLookAlike) {
  world_.files().put("/etc/sysctl.d/b.conf", "");
  world_.files().put("/etc/sysctl.d/a.conf", "");
  world_.files().put("/etc/sysctl.d/c.d/x", "");
  EXPECT_THAT(*world_.files().list("/etc/sysctl.d"), ElementsAre("a.conf", "b.conf", "c.d"));
  EXPECT_THAT(*world_.files().list("/run/sysctl.d"), IsEmpty());
}

}  // namespace
}  // namespace spark::host
