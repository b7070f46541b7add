#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/rtnetlink.h>

#include "fake/names.hpp"
#include "kernel/namespace.hpp"

namespace spark::test {
namespace {

using testing::Contains;
using testing::Each;
using testing::Field;
using testing::Ne;

class NetlinkRoutes : public NamespaceTest {
 protected:
  void SetUp() override {
    NamespaceTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    add_cable(kRail);
    ip("link set enp1s0f0np0 up");
    ip("address add 192.0.2.11/24 dev enp1s0f0np0");
    ip("-6 address add 2001:db8::11/64 dev enp1s0f0np0 nodad");
  }
  Result<host::RouteInfo> route_to(const char* ip) {
    return netlink_.route_to(*IpAddress::parse(ip), {});
  }
};

TEST_F(NetlinkRoutes, OfBothFamiliesAreRead) {
  ip("route add default via 192.0.2.1 src 192.0.2.11 metric 102 proto static");
  ip("-6 route add default via 2001:db8::1");
  const auto routes = netlink_.routes();
  ASSERT_TRUE(routes) << routes.error().what;
  EXPECT_THAT(*routes, Contains(host::RouteInfo{.destination = *IpPrefix::parse("192.0.2.0/24"),
                                                .table = RT_TABLE_MAIN,
                                                .protocol = RTPROT_KERNEL,
                                                .link_index = link(kRail).index,
                                                .source = IpAddress::parse("192.0.2.11")}));
  EXPECT_THAT(*routes, Contains(host::RouteInfo{.destination = *IpPrefix::parse("0.0.0.0/0"),
                                                .table = RT_TABLE_MAIN,
                                                .protocol = RTPROT_STATIC,
                                                .link_index = link(kRail).index,
                                                .gateway = IpAddress::parse("192.0.2.1"),
                                                .source = IpAddress::parse("192.0.2.11"),
                                                .metric = 102}));
  EXPECT_THAT(*routes, Contains(Field(&host::RouteInfo::gateway, IpAddress::parse("2001:db8::1"))));
}

TEST_F(NetlinkRoutes, OfTheLocalTableAreLeftOut) {
  ip("rule add priority 5270 table 52");  // makes the kernel keep local and main apart
  const auto routes = netlink_.routes();
  ASSERT_TRUE(routes) << routes.error().what;
  EXPECT_THAT(*routes, Each(Field(&host::RouteInfo::table, Ne(unsigned{RT_TABLE_LOCAL}))));
  EXPECT_THAT(*routes, Each(Field(&host::RouteInfo::type, int{RTN_UNICAST})));
}

TEST_F(NetlinkRoutes, OfATableThatARuleNamesAreRead) {
  ip("route add 198.51.100.0/24 dev enp1s0f0np0 table 5252");
  ip("rule add priority 5270 table 5252");
  const auto routes = netlink_.routes();
  ASSERT_TRUE(routes) << routes.error().what;
  EXPECT_THAT(*routes, Contains(Field(&host::RouteInfo::table, 5252U)));
}

TEST_F(NetlinkRoutes, OfATableThatNobodyMadeAreNone) {
  ip("rule add priority 5270 table 5252");
  EXPECT_TRUE(netlink_.routes());
}

TEST_F(NetlinkRoutes, ThatRefuseAreRead) {
  ip("route add unreachable 198.51.100.0/24");
  EXPECT_THAT(*netlink_.routes(), Contains(Field(&host::RouteInfo::type, int{RTN_UNREACHABLE})));
}

TEST_F(NetlinkRoutes, RulesAreReadInTheOrderOfTheirPriority) {
  ip("rule add priority 5270 from 198.51.100.0/24 to 203.0.113.7 iif lo oif lo table 52");
  const auto rules = netlink_.rules();
  ASSERT_TRUE(rules) << rules.error().what;
  std::vector<host::RuleInfo> v4;
  std::ranges::copy_if(*rules, std::back_inserter(v4),
                       [](const host::RuleInfo& rule) { return rule.family == IpFamily::kV4; });
  EXPECT_THAT(
      v4,
      testing::ElementsAre(
          host::RuleInfo{.family = IpFamily::kV4, .priority = 0, .table = RT_TABLE_LOCAL},
          host::RuleInfo{.family = IpFamily::kV4,
                         .priority = 5270,
                         .table = 52,
                         .from = IpPrefix::parse("198.51.100.0/24"),
                         .to = IpPrefix::parse("203.0.113.7/32"),
                         .in_link = "lo",
                         .out_link = "lo"},
          host::RuleInfo{.family = IpFamily::kV4, .priority = 32766, .table = RT_TABLE_MAIN},
          host::RuleInfo{.family = IpFamily::kV4, .priority = 32767, .table = RT_TABLE_DEFAULT}));
}

TEST_F(NetlinkRoutes, ThePacketsWayIsTheRouteThatMatched) {
  for (const auto& [peer, subnet] :
       {std::pair("192.0.2.12", "192.0.2.0/24"), std::pair("2001:db8::12", "2001:db8::/64")}) {
    const auto route = route_to(peer);
    ASSERT_TRUE(route) << route.error().what;
    EXPECT_EQ(route->destination, *IpPrefix::parse(subnet));
    EXPECT_EQ(route->link_index, link(kRail).index);
    EXPECT_EQ(route->table, unsigned{RT_TABLE_MAIN});
  }
}

TEST_F(NetlinkRoutes, ThePacketsWayFollowsRules) {
  add_cable("vpn");
  ip("link set vpn up");
  ip("route add 192.0.2.12/32 dev vpn table 52");
  EXPECT_EQ(route_to("192.0.2.12")->link_index, link(kRail).index);
  ip("rule add priority 5270 table 52");
  EXPECT_EQ(route_to("192.0.2.12")->link_index, link("vpn").index);
  EXPECT_EQ(route_to("192.0.2.12")->table, 52U);
}

TEST_F(NetlinkRoutes, AnOwnAddressIsLocal) { EXPECT_EQ(route_to("192.0.2.11")->type, RTN_LOCAL); }

TEST_F(NetlinkRoutes, NoRouteIsNotFound) {
  EXPECT_EQ(
      route_to("203.0.113.1").error(),
      (Error{ErrorCode::kNotFound, "find the route to '203.0.113.1': Network is unreachable"}));
  EXPECT_EQ(route_to("2001:db8:1::1").error().code, ErrorCode::kNotFound);
}

TEST_F(NetlinkRoutes, ARouteThatRefusesIsAnError) {
  for (const auto* kind : {"unreachable", "prohibit", "blackhole"}) {
    ip(std::string("route add ") + kind + " 198.51.100.0/24");
    ip(std::string("-6 route add ") + kind + " 2001:db8:1::/64");
    EXPECT_EQ(route_to("198.51.100.1").error().code, ErrorCode::kSystem) << kind;
    EXPECT_EQ(route_to("2001:db8:1::1").error().code, ErrorCode::kSystem) << kind;
    ip("route flush 198.51.100.0/24");
    ip("-6 route flush 2001:db8:1::/64");
  }
}

}  // namespace
}  // namespace spark::test
