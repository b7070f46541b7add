// What takes our routes away, and what the kernel tells of that. A daemon dumps routes again after
// each event of a link, an address or a route.

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/rtnetlink.h>

#include "fake/names.hpp"
#include "host/linux/netlink/changes.hpp"
#include "host/linux/netlink/decode.hpp"
#include "kernel/namespace.hpp"

namespace spark::test {
namespace {

using testing::AnyOf;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr const char* kToV4 = "10.77.0.0/16";
constexpr const char* kToV6 = "2001:db8:77::/48";

class LostRoutes : public NamespaceTest {
 protected:
  void SetUp() override {
    NamespaceTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    add_cable(kRail);
    ip("link set enp1s0f0np0 up");
    ip("address add 192.0.2.11/24 dev enp1s0f0np0");
    ip("address add 198.51.100.11/24 dev enp1s0f0np0");
    ip("-6 address add 2001:db8::11/64 dev enp1s0f0np0 nodad");
    wait_until_usable();
    add(kToV4, "192.0.2.12", "198.51.100.11");
    add(kToV6, "2001:db8::12", nullptr);
    ASSERT_THAT(ours(), UnorderedElementsAre(kToV4, kToV6));
    auto events = host::open_netlink_group(
        NETLINK_ROUTE, {RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR, RTNLGRP_IPV4_ROUTE,
                        RTNLGRP_IPV6_ROUTE});
    ASSERT_TRUE(events) << events.error().what;
    events_ = std::move(*events);
    ASSERT_TRUE(netlink_.watch());
  }

  /// The destinations of our routes that are there.
  std::vector<std::string> ours() {
    std::vector<std::string> found;
    const auto routes = netlink_.routes();
    EXPECT_TRUE(routes) << routes.error().what;
    for (const auto& route : *routes) {
      if (route.protocol == host::kMadeByUs) found.push_back(route.destination.text());
    }
    return found;
  }

  /// What the kernel has told since the test began.
  struct Told {
    std::vector<std::string> removed;  ///< destinations of our routes
    std::vector<int> types;            ///< of all events
  };
  Told told() {
    Told told;
    const auto lost = host::take_datagrams(events_.get(), [&](std::string_view datagram) {
      while (datagram.size() >= sizeof(nlmsghdr)) {
        const auto& message = *reinterpret_cast<const nlmsghdr*>(datagram.data());
        told.types.push_back(message.nlmsg_type);
        if (message.nlmsg_type == RTM_DELROUTE) {
          const auto routes = host::decode_route(message);
          ASSERT_TRUE(routes) << routes.error().what;
          for (const auto& route : *routes) {
            if (route.protocol == host::kMadeByUs) told.removed.push_back(route.destination.text());
          }
        }
        datagram.remove_prefix(
            std::min<std::size_t>(NLMSG_ALIGN(message.nlmsg_len), datagram.size()));
      }
    });
    EXPECT_TRUE(lost && !*lost);
    return told;
  }

  void wait_until_carrier_is(bool carrier) {
    while (link(kRail).carrier != carrier) {
      ASSERT_TRUE(netlink_.wait_for_event(std::chrono::seconds(10)).value_or(false));
    }
  }

 private:
  void add(const char* to, const char* via, const char* source) {
    const auto added = netlink_.add_route(
        kRail, {.destination = *IpPrefix::parse(to),
                .table = host::kMainTable,
                .protocol = host::kMadeByUs,
                .gateway = IpAddress::parse(via),
                .source = source == nullptr ? std::nullopt : IpAddress::parse(source)});
    ASSERT_TRUE(added) << added.error().what;
  }

  UniqueFd events_;
};

TEST_F(LostRoutes, AreNoneWhereTheCarrierIsLostAndNoneIsTold) {
  ip_at_peer("link set enp1s0f0np0 down");
  wait_until_carrier_is(false);
  EXPECT_THAT(ours(), UnorderedElementsAre(kToV4, kToV6));
  EXPECT_THAT(told().removed, IsEmpty());
  ip_at_peer("link set enp1s0f0np0 up");
  wait_until_carrier_is(true);
  EXPECT_THAT(ours(), UnorderedElementsAre(kToV4, kToV6));
  EXPECT_THAT(told().removed, IsEmpty());
}

TEST_F(LostRoutes, ALinkThatGoesDownTakesAllAndIsToldOfIpv6Alone) {
  ip("link set enp1s0f0np0 down");
  EXPECT_THAT(ours(), IsEmpty());
  const auto events = told();
  EXPECT_THAT(events.removed, ElementsAre(kToV6));
  EXPECT_THAT(events.types, Contains(RTM_NEWLINK));
}

/// fib_sync_down_addr() marks it dead, and fib_table_flush() tells it from kernel 6.7 on.
TEST_F(LostRoutes, ASourceThatGoesTakesItsRouteAndIsToldAtLeastAsAnAddress) {
  ip("address delete 198.51.100.11/24 dev enp1s0f0np0");
  EXPECT_THAT(ours(), ElementsAre(kToV6));
  const auto events = told();
  EXPECT_THAT(events.removed, AnyOf(IsEmpty(), ElementsAre(kToV4)));
  EXPECT_THAT(events.types, Contains(RTM_DELADDR));
}

TEST_F(LostRoutes, TheLastAddressTakesAllOfItsFamily) {
  ip("address delete 198.51.100.11/24 dev enp1s0f0np0");
  ip("address delete 192.0.2.11/24 dev enp1s0f0np0");
  EXPECT_THAT(ours(), ElementsAre(kToV6));
  EXPECT_THAT(told().types, Contains(RTM_DELADDR));
}

}  // namespace
}  // namespace spark::test
