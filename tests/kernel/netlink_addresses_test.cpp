#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>

#include "fake/names.hpp"
#include "kernel/namespace.hpp"

namespace spark::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

host::AddressInfo address(const char* prefix) { return {.address = *IpPrefix::parse(prefix)}; }

class NetlinkAddresses : public NamespaceTest {
 protected:
  void SetUp() override {
    NamespaceTest::SetUp();
    if (!IsSkipped()) {
      add_cable(kRail);
    }
  }
  /// The one that is there, with what the kernel fills in taken out.
  host::AddressInfo as_asked(const char* ip) {
    for (auto& found : addresses_of(kRail)) {
      if (found.address.ip == IpAddress::parse(ip)) {
        found.link_index = 0;
        found.added = 0;
        found.flags &= ~std::uint32_t{IFA_F_PERMANENT | IFA_F_TENTATIVE};
        return found;
      }
    }
    ADD_FAILURE() << "no address " << ip;
    return {};
  }
};

TEST_F(NetlinkAddresses, AreAddedAsAsked) {
  const host::AddressInfo v4{.address = *IpPrefix::parse("192.0.2.11/24"),
                             .flags = IFA_F_NOPREFIXROUTE,
                             .scope = RT_SCOPE_LINK,
                             .protocol = 83,
                             .broadcast = IpAddress::parse("192.0.2.255"),
                             .label = "enp1s0f0np0:x",
                             .route_metric = 100};
  ASSERT_TRUE(netlink_.add_address(kRail, v4));
  EXPECT_EQ(as_asked("192.0.2.11"), v4);
  const host::AddressInfo v6{.address = *IpPrefix::parse("2001:db8::11/64"),
                             .flags = IFA_F_NODAD,
                             .protocol = 83,
                             .route_metric = 100};
  ASSERT_TRUE(netlink_.add_address(kRail, v6));
  EXPECT_EQ(as_asked("2001:db8::11"), v6);
}

TEST_F(NetlinkAddresses, AreSeenByIpAsAdded) {
  ASSERT_TRUE(netlink_.add_address(kRail, address("192.0.2.11/24")));
  const auto seen = ip_json("address show dev enp1s0f0np0").at(0).at("addr_info").at(0);
  EXPECT_EQ(seen.at("local"), "192.0.2.11");
  EXPECT_EQ(seen.at("prefixlen"), 24);
  EXPECT_EQ(seen.at("scope"), "global");
  EXPECT_FALSE(seen.contains("broadcast"));
}

TEST_F(NetlinkAddresses, KeepTheMarkOfWhoAddedThem) {
  auto ours = address("192.0.2.11/24");
  ours.protocol = 83;
  ASSERT_TRUE(netlink_.add_address(kRail, ours));
  ip("address add 192.0.2.12/24 dev enp1s0f0np0");
  EXPECT_EQ(as_asked("192.0.2.11").protocol, 83);
  EXPECT_EQ(as_asked("192.0.2.12").protocol, 0);
}

TEST_F(NetlinkAddresses, ThatTheKernelMadeBearItsMark) {
  ASSERT_TRUE(netlink_.watch());
  ASSERT_TRUE(netlink_.set_up(kRail, true));
  while (addresses_of(kRail).empty()) {
    ASSERT_TRUE(*netlink_.wait_for_event(std::chrono::seconds(10)));
  }
  EXPECT_EQ(addresses_of(kRail).at(0).protocol, IFAPROT_KERNEL_LL);
}

// What the kernel sets of the flags by itself it does not take from a request.
TEST_F(NetlinkAddresses, AreAddedAgainAsTheyWereRead) {
  for (const auto* text : {"192.0.2.11/24", "192.0.2.12/24", "2001:db8::11/64"}) {
    ASSERT_TRUE(netlink_.add_address(kRail, address(text)));
  }
  const auto read_now = [&] {
    auto found = addresses_of(kRail);
    for (auto& one : found) one.added = 0;
    return found;
  };
  const auto before = read_now();
  ASSERT_NE(before.at(1).flags & IFA_F_SECONDARY, 0U);
  for (const auto& read : {before.at(1), before.at(0), before.at(2)}) {
    ASSERT_TRUE(netlink_.remove_address(kRail, read.address));
  }
  for (const auto& read : before) ASSERT_TRUE(netlink_.add_address(kRail, read));
  EXPECT_EQ(read_now(), before);
}

TEST_F(NetlinkAddresses, MayHaveAnEnd) {
  auto leased = address("192.0.2.11/24");
  leased.valid_seconds = 600;
  leased.preferred_seconds = 300;
  ASSERT_TRUE(netlink_.add_address(kRail, leased));
  EXPECT_EQ(addresses_of(kRail).at(0).flags & IFA_F_PERMANENT, 0U);
  EXPECT_LE(addresses_of(kRail).at(0).valid_seconds, 600U);
  EXPECT_LE(addresses_of(kRail).at(0).preferred_seconds, 300U);
}

TEST_F(NetlinkAddresses, ThatAreThereAreNotAddedAgain) {
  ASSERT_TRUE(netlink_.add_address(kRail, address("192.0.2.11/24")));
  const auto again = netlink_.add_address(kRail, address("192.0.2.11/24"));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kInvalid);
  EXPECT_THAT(again.error().what,
              testing::StartsWith("add address '192.0.2.11/24' to 'enp1s0f0np0': "));
  EXPECT_THAT(again.error().what, testing::HasSubstr("File exists"));
}

TEST_F(NetlinkAddresses, OfIpv6AreOneWhateverTheirLength) {
  ASSERT_TRUE(netlink_.add_address(kRail, address("2001:db8::11/64")));
  EXPECT_EQ(netlink_.add_address(kRail, address("2001:db8::11/80")).error().code,
            ErrorCode::kInvalid);
  ASSERT_TRUE(netlink_.add_address(kRail, address("192.0.2.11/24")));
  EXPECT_TRUE(netlink_.add_address(kRail, address("192.0.2.11/25")));
}

TEST_F(NetlinkAddresses, AreRemovedByAddressAndLength) {
  for (const auto* text : {"192.0.2.11/24", "192.0.2.11/25", "2001:db8::11/64"}) {
    ASSERT_TRUE(netlink_.add_address(kRail, address(text)));
  }
  ASSERT_TRUE(netlink_.remove_address(kRail, *IpPrefix::parse("192.0.2.11/24")));
  ASSERT_TRUE(netlink_.remove_address(kRail, *IpPrefix::parse("2001:db8::11/64")));
  EXPECT_EQ(as_asked("192.0.2.11").address, *IpPrefix::parse("192.0.2.11/25"));
  EXPECT_EQ(addresses_of(kRail).size(), 1U);
}

TEST_F(NetlinkAddresses, ThatAreAbsentAreNotFound) {
  for (const auto* text : {"192.0.2.11/24", "2001:db8::11/64"}) {
    EXPECT_EQ(netlink_.remove_address(kRail, *IpPrefix::parse(text)).error().code,
              ErrorCode::kNotFound);
  }
}

TEST_F(NetlinkAddresses, OfAPointToPointLinkTellBothEnds) {
  ip("address add 192.0.2.11 peer 192.0.2.12/32 dev enp1s0f0np0");
  EXPECT_EQ(as_asked("192.0.2.11").peer, IpAddress::parse("192.0.2.12"));
  EXPECT_EQ(as_asked("192.0.2.11").address, *IpPrefix::parse("192.0.2.11/32"));
}

TEST_F(NetlinkAddresses, ByTheThousandComeWholeAndOnce) {
  constexpr int kCount = 2000;
  for (int i = 0; i < kCount; ++i) {
    const auto text = fmt::format("198.18.{}.{}/15", i / 250, i % 250 + 1);
    ASSERT_TRUE(netlink_.add_address(kRail, address(text.c_str())));
  }
  auto all = addresses_of(kRail);
  ASSERT_EQ(all.size(), std::size_t{kCount});
  std::ranges::sort(all, {}, &host::AddressInfo::address);
  EXPECT_EQ(std::ranges::adjacent_find(all, {}, &host::AddressInfo::address), all.end());
}

TEST_F(NetlinkAddresses, OfANamespaceWithoutAnyAreNone) {
  EXPECT_THAT(*netlink_.addresses(), IsEmpty());
}

TEST_F(NetlinkAddresses, WakeAWatcher) {
  using std::chrono::milliseconds;
  EXPECT_FALSE(netlink_.wait_for_event(milliseconds(0)));  // nothing is watched yet
  ASSERT_TRUE(netlink_.add_address(kRail, address("192.0.2.11/24")));
  ASSERT_TRUE(netlink_.watch());
  EXPECT_FALSE(*netlink_.wait_for_event(milliseconds(0)));  // events before it are not seen
  ASSERT_TRUE(netlink_.add_address(kRail, address("192.0.2.12/24")));
  ASSERT_TRUE(netlink_.remove_address(kRail, *IpPrefix::parse("192.0.2.12/24")));
  EXPECT_TRUE(*netlink_.wait_for_event(milliseconds(1000)));
  EXPECT_FALSE(*netlink_.wait_for_event(milliseconds(0)));  // all were taken at once
  ASSERT_TRUE(netlink_.set_mtu(kRail, 9000));
  EXPECT_TRUE(*netlink_.wait_for_event(milliseconds(1000)));
  ASSERT_TRUE(netlink_.add_address(kRail, address("2001:db8::11/64")));
  EXPECT_TRUE(*netlink_.wait_for_event(milliseconds(1000)));
}

TEST_F(NetlinkAddresses, WakeAWatcherWhenTentativeOnesAreUsable) {
  ip("link set enp1s0f0np0 up");
  ASSERT_TRUE(netlink_.watch());
  ASSERT_TRUE(netlink_.add_address(kRail, address("2001:db8::11/64")));
  const auto tentative = [&] {
    return std::ranges::any_of(addresses_of(kRail), [](const host::AddressInfo& a) {
      return (a.flags & IFA_F_TENTATIVE) != 0;
    });
  };
  ASSERT_TRUE(tentative());
  while (tentative()) {
    ASSERT_TRUE(*netlink_.wait_for_event(std::chrono::seconds(10)));
  }
}

TEST_F(NetlinkAddresses, MoreEventsThanTheBufferHoldsAreStillOne) {
  ASSERT_TRUE(netlink_.watch());
  ip("link set enp1s0f0np0 up");
  host::LinuxNetlink other;
  for (int i = 0; i < 20'000; ++i) {
    ASSERT_TRUE(other.add_address(kRail, address("192.0.2.11/24")));
    ASSERT_TRUE(other.remove_address(kRail, *IpPrefix::parse("192.0.2.11/24")));
  }
  EXPECT_TRUE(*netlink_.wait_for_event(std::chrono::milliseconds(1000)));
  ASSERT_TRUE(other.add_address(kRail, address("192.0.2.11/24")));
  EXPECT_TRUE(*netlink_.wait_for_event(std::chrono::milliseconds(1000)));
}

}  // namespace
}  // namespace spark::test
