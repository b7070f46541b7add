#include "host/linux/netlink/encode.hpp"

#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <linux/if.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include "host/linux/netlink/decode.hpp"

namespace spark::host {
namespace {

const ifinfomsg& link_header(const NetlinkRequest& request) {
  return *static_cast<const ifinfomsg*>(nlmsg_data(request.header()));
}

int attribute_count(const NetlinkRequest& request, int header_size) {
  int left = nlmsg_attrlen(request.header(), header_size);
  int count = 0;
  for (auto* attribute = nlmsg_attrdata(request.header(), header_size);
       nla_ok(attribute, left) != 0; attribute = nla_next(attribute, &left)) {
    ++count;
  }
  return count;
}

TEST(EncodeLink, UpAndDownTouchOneFlagAndNothingElse) {
  const auto up = encode_set_up(4, true);
  EXPECT_EQ(up.header()->nlmsg_type, RTM_SETLINK);
  EXPECT_EQ(link_header(up).ifi_index, 4);
  EXPECT_EQ(link_header(up).ifi_change, unsigned{IFF_UP});
  EXPECT_EQ(link_header(up).ifi_flags, unsigned{IFF_UP});
  EXPECT_EQ(link_header(encode_set_up(4, false)).ifi_flags, 0U);
  EXPECT_EQ(attribute_count(up, sizeof(ifinfomsg)), 0);
}

TEST(EncodeLink, TheMtuIsAllThatIsSent) {
  const auto request = encode_set_mtu(4, 9000);
  EXPECT_EQ(link_header(request).ifi_change, 0U);
  EXPECT_EQ(attribute_count(request, sizeof(ifinfomsg)), 1);
  const auto* const mtu = nlmsg_find_attr(request.header(), sizeof(ifinfomsg), IFLA_MTU);
  ASSERT_NE(mtu, nullptr);
  EXPECT_EQ(nla_get_u32(mtu), 9000U);
}

TEST(EncodeLink, TheLinkLocalModeStandsInTheSpecOfIpv6) {
  auto request = encode_set_addr_gen_mode(4, 1);
  const auto* const spec = nlmsg_find_attr(request.header(), sizeof(ifinfomsg), IFLA_AF_SPEC);
  ASSERT_NE(spec, nullptr);
  const auto* const inet6 = nla_find(static_cast<nlattr*>(nla_data(spec)), nla_len(spec), AF_INET6);
  ASSERT_NE(inet6, nullptr);
  const auto* const mode =
      nla_find(static_cast<nlattr*>(nla_data(inet6)), nla_len(inet6), IFLA_INET6_ADDR_GEN_MODE);
  ASSERT_NE(mode, nullptr);
  EXPECT_EQ(nla_get_u8(mode), 1);
}

AddressInfo decoded(const NetlinkRequest& request) {
  const auto address = decode_address(*request.header());
  return address && *address ? **address : AddressInfo{};
}

TEST(EncodeAddress, AllFieldsReachTheOtherSide) {
  const AddressInfo address{.link_index = 4,
                            .address = *IpPrefix::parse("192.0.2.11/32"),
                            .flags = IFA_F_NOPREFIXROUTE,
                            .scope = RT_SCOPE_LINK,
                            .protocol = 83,
                            .peer = IpAddress::parse("192.0.2.12"),
                            .broadcast = IpAddress::parse("192.0.2.255"),
                            .label = "eth0:fabric",
                            .route_metric = 100,
                            .valid_seconds = 120,
                            .preferred_seconds = 60};
  EXPECT_EQ(decoded(encode_add_address(4, address)), address);
  const AddressInfo v6{.link_index = 4, .address = *IpPrefix::parse("2001:db8::11/64")};
  EXPECT_EQ(decoded(encode_add_address(4, v6)), v6);
}

TEST(EncodeAddress, WhatIsNotAskedForIsNotSent) {
  const auto request = encode_add_address(4, {.address = *IpPrefix::parse("192.0.2.11/24")});
  EXPECT_EQ(attribute_count(request, sizeof(ifaddrmsg)), 2);  // IFA_LOCAL and IFA_ADDRESS
}

TEST(EncodeAddress, AnAddressThatIsThereIsNotReplaced) {
  const auto request = encode_add_address(4, {.address = *IpPrefix::parse("192.0.2.11/24")});
  EXPECT_NE(request.header()->nlmsg_flags & NLM_F_EXCL, 0);
  EXPECT_EQ(request.header()->nlmsg_flags & NLM_F_REPLACE, 0);
}

TEST(EncodeAddress, ARemovalNamesAddressAndLength) {
  const auto request = encode_remove_address(4, *IpPrefix::parse("2001:db8::11/64"));
  EXPECT_EQ(request.header()->nlmsg_type, RTM_DELADDR);
  EXPECT_EQ(decoded(request).address, *IpPrefix::parse("2001:db8::11/64"));
}

TEST(EncodeRoute, AllFieldsReachTheOtherSide) {
  for (const auto& [destination, gateway, source] :
       {std::tuple{"198.51.100.0/24", "192.0.2.12", "192.0.2.11"},
        std::tuple{"2001:db8:9::/48", "2001:db8::12", "2001:db8::11"}}) {
    const RouteInfo route{.destination = *IpPrefix::parse(destination),
                          .table = kMainTable,
                          .protocol = kMadeByUs,
                          .link_index = 4,
                          .gateway = IpAddress::parse(gateway),
                          .source = IpAddress::parse(source),
                          .metric = 300,
                          .mtu = 9000};
    const auto request = encode_add_route(4, route);
    EXPECT_EQ(request.header()->nlmsg_type, RTM_NEWROUTE);
    EXPECT_EQ(decode_route(*request.header()), std::vector{route});
  }
}

TEST(EncodeRoute, ARouteThatIsThereIsNotReplaced) {
  const auto request = encode_add_route(4, {.destination = *IpPrefix::parse("198.51.100.0/24")});
  EXPECT_EQ(request.header()->nlmsg_flags & (NLM_F_EXCL | NLM_F_REPLACE), unsigned{NLM_F_EXCL});
}

TEST(EncodeRoute, WithoutAGatewayItIsOnTheLink) {
  const auto scope_of = [](const RouteInfo& route) {
    const auto request = encode_add_route(4, route);
    return static_cast<const rtmsg*>(nlmsg_data(request.header()))->rtm_scope;
  };
  const auto to = *IpPrefix::parse("198.51.100.0/24");
  EXPECT_EQ(scope_of({.destination = to}), RT_SCOPE_LINK);
  EXPECT_EQ(scope_of({.destination = to, .gateway = IpAddress::parse("192.0.2.12")}),
            RT_SCOPE_UNIVERSE);
  EXPECT_EQ(scope_of({.destination = *IpPrefix::parse("2001:db8:9::/48")}), RT_SCOPE_UNIVERSE);
}

TEST(EncodeRoute, ARemovalNamesWhoMadeItAndByWhichLink) {
  const auto request = encode_remove_route(4, {.destination = *IpPrefix::parse("198.51.100.0/24"),
                                               .table = kMainTable,
                                               .protocol = kMadeByUs});
  EXPECT_EQ(request.header()->nlmsg_type, RTM_DELROUTE);
  const auto route = decode_route(*request.header());
  ASSERT_TRUE(route);
  EXPECT_EQ(route->front().protocol, kMadeByUs);
  EXPECT_EQ(route->front().link_index, 4);
}

TEST(EncodeAddress, ALabelThatFitsNoMessageMakesNoMessage) {
  const AddressInfo address{.address = *IpPrefix::parse("192.0.2.11/24"),
                            .label = std::string(100'000, 'x')};
  EXPECT_EQ(encode_add_address(4, address).header(), nullptr);
}

}  // namespace
}  // namespace spark::host
