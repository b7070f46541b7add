#include "host/linux/netlink/decode.hpp"

#include <gtest/gtest.h>
#include <linux/fib_rules.h>
#include <linux/if_addr.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include "unit/host/linux/netlink/netlink_bytes.hpp"

namespace spark::host {
namespace {

using Octets = std::initializer_list<std::uint8_t>;
constexpr Octets kV4 = {192, 0, 2, 11};
constexpr Octets kV4Other = {192, 0, 2, 12};
constexpr Octets kV6 = {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11};
constexpr Octets kV6Other = {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x12};

ifaddrmsg address_header(int family, std::uint8_t prefix_len) {
  return {.ifa_family = static_cast<std::uint8_t>(family),
          .ifa_prefixlen = prefix_len,
          .ifa_flags = IFA_F_PERMANENT,
          .ifa_scope = RT_SCOPE_UNIVERSE,
          .ifa_index = 4};
}

rtmsg route_header(int family, std::uint8_t prefix_len) {
  rtmsg header{};
  header.rtm_family = static_cast<std::uint8_t>(family);
  header.rtm_dst_len = prefix_len;
  header.rtm_table = RT_TABLE_MAIN;
  header.rtm_type = RTN_UNICAST;
  header.rtm_protocol = RTPROT_STATIC;
  return header;
}

TEST(DecodeAddress, ReadsAnIpv4Address) {
  NetlinkBytes bytes(RTM_NEWADDR, address_header(AF_INET, 24));
  const ifa_cacheinfo lifetimes{.ifa_prefered = 60, .ifa_valid = 120, .cstamp = 300, .tstamp = 400};
  bytes.put(IFA_ADDRESS, kV4)
      .put(IFA_LOCAL, kV4)
      .put(IFA_BROADCAST, {192, 0, 2, 255})
      .put_text(IFA_LABEL, "enp1s0f0np0")
      .put(IFA_FLAGS, std::uint32_t{IFA_F_NOPREFIXROUTE | IFA_F_SECONDARY})
      .put(IFA_RT_PRIORITY, std::uint32_t{100})
      .put(IFA_PROTO, std::uint8_t{83})
      .put(IFA_CACHEINFO, lifetimes);
  const auto address = decode_address(bytes.message());
  ASSERT_TRUE(address) << address.error().what;
  EXPECT_EQ(*address, (AddressInfo{.link_index = 4,
                                   .address = *IpPrefix::parse("192.0.2.11/24"),
                                   .flags = IFA_F_NOPREFIXROUTE | IFA_F_SECONDARY,
                                   .protocol = 83,
                                   .broadcast = IpAddress::parse("192.0.2.255"),
                                   .label = "enp1s0f0np0",
                                   .route_metric = 100,
                                   .valid_seconds = 120,
                                   .preferred_seconds = 60,
                                   .added = 300}));
}

TEST(DecodeAddress, ReadsAnIpv6Address) {
  NetlinkBytes bytes(RTM_NEWADDR, address_header(AF_INET6, 64));
  bytes.put(IFA_ADDRESS, kV6);
  const auto address = decode_address(bytes.message());
  ASSERT_TRUE(address) << address.error().what;
  EXPECT_EQ(*address, (AddressInfo{.link_index = 4,
                                   .address = *IpPrefix::parse("2001:db8::11/64"),
                                   .flags = IFA_F_PERMANENT}));
}

TEST(DecodeAddress, TellsTheOwnEndFromTheOtherOne) {
  NetlinkBytes v4(RTM_NEWADDR, address_header(AF_INET, 32));
  v4.put(IFA_ADDRESS, kV4Other).put(IFA_LOCAL, kV4);
  EXPECT_EQ((*decode_address(v4.message()))->address, *IpPrefix::parse("192.0.2.11/32"));
  EXPECT_EQ((*decode_address(v4.message()))->peer, IpAddress::parse("192.0.2.12"));
  NetlinkBytes v6(RTM_NEWADDR, address_header(AF_INET6, 128));
  v6.put(IFA_ADDRESS, kV6Other).put(IFA_LOCAL, kV6);
  EXPECT_EQ((*decode_address(v6.message()))->address, *IpPrefix::parse("2001:db8::11/128"));
  EXPECT_EQ((*decode_address(v6.message()))->peer, IpAddress::parse("2001:db8::12"));
}

TEST(DecodeAddress, LeavesOutOtherFamilies) {
  constexpr int kMctp = 45;
  EXPECT_EQ(*decode_address(NetlinkBytes(RTM_NEWADDR, address_header(kMctp, 0)).message()),
            std::nullopt);
}

TEST(DecodeAddress, RefusesAnAddressOfTheOtherLength) {
  NetlinkBytes bytes(RTM_NEWADDR, address_header(AF_INET, 24));
  bytes.put(IFA_LOCAL, kV6);
  EXPECT_EQ(
      decode_address(bytes.message()).error(),
      (Error{ErrorCode::kInvalid, "malformed netlink message: address of the link with index 4"}));
}

TEST(DecodeAddress, RefusesAMessageWithoutAddress) {
  EXPECT_FALSE(decode_address(NetlinkBytes(RTM_NEWADDR, address_header(AF_INET, 24)).message()));
}

TEST(DecodeAddress, RefusesAPrefixLongerThanTheAddress) {
  NetlinkBytes bytes(RTM_NEWADDR, address_header(AF_INET, 33));
  bytes.put(IFA_LOCAL, kV4);
  EXPECT_FALSE(decode_address(bytes.message()));
}

TEST(DecodeAddress, RefusesLifetimesThatAreCutOff) {
  NetlinkBytes bytes(RTM_NEWADDR, address_header(AF_INET, 24));
  bytes.put(IFA_LOCAL, kV4).put(IFA_CACHEINFO, {1, 2, 3, 4});
  EXPECT_FALSE(decode_address(bytes.message()));
}

TEST(DecodeRoute, ReadsADefaultRoute) {
  NetlinkBytes bytes(RTM_NEWROUTE, route_header(AF_INET, 0));
  bytes.put(RTA_OIF, std::uint32_t{2})
      .put(RTA_GATEWAY, {192, 0, 2, 1})
      .put(RTA_PREFSRC, kV4)
      .put(RTA_PRIORITY, std::uint32_t{102});
  const auto route = decode_route(bytes.message());
  ASSERT_TRUE(route) << route.error().what;
  EXPECT_EQ(*route, (std::vector{RouteInfo{.destination = *IpPrefix::parse("0.0.0.0/0"),
                                           .table = RT_TABLE_MAIN,
                                           .type = RTN_UNICAST,
                                           .protocol = RTPROT_STATIC,
                                           .link_index = 2,
                                           .gateway = IpAddress::parse("192.0.2.1"),
                                           .source = IpAddress::parse("192.0.2.11"),
                                           .metric = 102}}));
}

TEST(DecodeRoute, ReadsATableBeyondEightBits) {
  NetlinkBytes bytes(RTM_NEWROUTE, route_header(AF_INET6, 128));
  bytes.put(RTA_DST, kV6).put(RTA_TABLE, std::uint32_t{5252});
  const auto route = decode_route(bytes.message());
  EXPECT_EQ(route->front().destination, *IpPrefix::parse("2001:db8::11/128"));
  EXPECT_EQ(route->front().table, 5252U);
}

TEST(DecodeRoute, AGatewayMayBeOfTheOtherFamily) {
  NetlinkBytes bytes(RTM_NEWROUTE, route_header(AF_INET, 24));
  std::vector<std::uint8_t> via{AF_INET6, 0};
  via.insert(via.end(), kV6);
  bytes.put(RTA_DST, {198, 51, 100, 0}).put(RTA_VIA, std::span<const std::uint8_t>(via));
  EXPECT_EQ(decode_route(bytes.message())->front().gateway, IpAddress::parse("2001:db8::11"));
}

TEST(DecodeRoute, ReadsItsOwnMtu) {
  NetlinkBytes bytes(RTM_NEWROUTE, route_header(AF_INET, 0));
  bytes.put(RTA_METRICS, {8, 0, RTAX_MTU, 0, 0x28, 0x23, 0, 0});
  EXPECT_EQ(decode_route(bytes.message())->front().mtu, 9000U);
}

TEST(DecodeRoute, RefusesMetricsThatAreCutOff) {
  NetlinkBytes bytes(RTM_NEWROUTE, route_header(AF_INET, 0));
  bytes.put(RTA_METRICS, {6, 0, RTAX_MTU, 0, 0x28, 0x23});
  EXPECT_FALSE(decode_route(bytes.message()));
}

TEST(DecodeRoute, GivesARouteForEachNextHop) {
  const auto hop = [](std::uint8_t index, std::uint8_t gateway) {
    return std::vector<std::uint8_t>{16, 0, 0,           0, index, 0, 0, 0,
                                     8,  0, RTA_GATEWAY, 0, 192,   0, 2, gateway};
  };
  auto hops = hop(3, 1);
  const auto second = hop(4, 2);
  hops.insert(hops.end(), second.begin(), second.end());
  NetlinkBytes bytes(RTM_NEWROUTE, route_header(AF_INET, 0));
  bytes.put(RTA_MULTIPATH, std::span<const std::uint8_t>(hops));
  const auto route = decode_route(bytes.message());
  ASSERT_TRUE(route) << route.error().what;
  ASSERT_EQ(route->size(), 2U);
  EXPECT_EQ(route->front().link_index, 3);
  EXPECT_EQ(route->front().gateway, IpAddress::parse("192.0.2.1"));
  EXPECT_EQ(route->back().link_index, 4);
  EXPECT_EQ(route->back().gateway, IpAddress::parse("192.0.2.2"));
}

TEST(DecodeRoute, RefusesANextHopLongerThanItsAttribute) {
  NetlinkBytes bytes(RTM_NEWROUTE, route_header(AF_INET, 0));
  bytes.put(RTA_MULTIPATH, {16, 0, 0, 0, 3, 0, 0, 0});
  EXPECT_FALSE(decode_route(bytes.message()));
}

TEST(DecodeRoute, RefusesAGatewayThatIsCutOff) {
  NetlinkBytes bytes(RTM_NEWROUTE, route_header(AF_INET, 0));
  bytes.put(RTA_GATEWAY, {192, 0});
  EXPECT_FALSE(decode_route(bytes.message()));
  NetlinkBytes via(RTM_NEWROUTE, route_header(AF_INET, 0));
  via.put(RTA_VIA, {AF_INET6});
  EXPECT_FALSE(decode_route(via.message()));
}

TEST(DecodeRoute, LeavesOutMulticastRouting) {
  EXPECT_TRUE(decode_route(NetlinkBytes(RTM_NEWROUTE, route_header(RTNL_FAMILY_IPMR, 32)).message())
                  ->empty());
}

TEST(DecodeRule, ReadsPriorityAndTable) {
  fib_rule_hdr header{};
  header.family = AF_INET6;
  header.table = RT_TABLE_COMPAT;
  NetlinkBytes bytes(RTM_NEWRULE, header);
  bytes.put(FRA_PRIORITY, std::uint32_t{5270}).put(FRA_TABLE, std::uint32_t{5252});
  EXPECT_EQ(*decode_rule(bytes.message()),
            (RuleInfo{.family = IpFamily::kV6, .priority = 5270, .table = 5252}));
}

TEST(DecodeRule, RefusesALengthThatNoAddressHas) {
  fib_rule_hdr header{};
  header.family = AF_INET;
  header.src_len = 33;
  NetlinkBytes bytes(RTM_NEWRULE, header);
  bytes.put(FRA_SRC, std::uint32_t{0});
  EXPECT_FALSE(decode_rule(bytes.message()));
}

TEST(DecodeRule, ARuleWithoutPriorityComesFirst) {
  fib_rule_hdr header{};
  header.family = AF_INET;
  header.table = RT_TABLE_LOCAL;
  EXPECT_EQ(*decode_rule(NetlinkBytes(RTM_NEWRULE, header).message()),
            (RuleInfo{.family = IpFamily::kV4, .priority = 0, .table = RT_TABLE_LOCAL}));
}

ndmsg neighbour_header(std::uint16_t state) {
  ndmsg header{};
  header.ndm_family = AF_INET;
  header.ndm_ifindex = 4;
  header.ndm_state = state;
  return header;
}

TEST(DecodeNeighbour, ReadsWhoHasAnAddress) {
  NetlinkBytes bytes(RTM_NEWNEIGH, neighbour_header(NUD_STALE));
  bytes.put(NDA_DST, kV4).put(NDA_LLADDR, {2, 0, 0x5e, 0x10, 0, 2});
  EXPECT_EQ(*decode_neighbour(bytes.message()),
            (NeighbourInfo{.link_index = 4,
                           .ip = *IpAddress::parse("192.0.2.11"),
                           .mac = {2, 0, 0x5e, 0x10, 0, 2}}));
}

TEST(DecodeNeighbour, LeavesOutWhatTheKernelWouldNotSendTo) {
  NetlinkBytes failed(RTM_NEWNEIGH, neighbour_header(NUD_FAILED));
  failed.put(NDA_DST, kV4).put(NDA_LLADDR, {2, 0, 0x5e, 0x10, 0, 2});
  EXPECT_EQ(*decode_neighbour(failed.message()), std::nullopt);
  NetlinkBytes unknown(RTM_NEWNEIGH, neighbour_header(NUD_REACHABLE));
  unknown.put(NDA_DST, kV4);
  EXPECT_EQ(*decode_neighbour(unknown.message()), std::nullopt);
  NetlinkBytes long_one(RTM_NEWNEIGH, neighbour_header(NUD_REACHABLE));
  long_one.put(NDA_DST, kV4).put(NDA_LLADDR, {2, 0, 0x5e, 0x10, 0, 2, 0, 0});
  EXPECT_EQ(*decode_neighbour(long_one.message()), std::nullopt) << "no Ethernet";
}

TEST(DecodeNeighbour, RefusesAnAddressOfAnotherLength) {
  NetlinkBytes bytes(RTM_NEWNEIGH, neighbour_header(NUD_STALE));
  bytes.put(NDA_DST, {192, 0, 2}).put(NDA_LLADDR, {2, 0, 0x5e, 0x10, 0, 2});
  EXPECT_FALSE(decode_neighbour(bytes.message()));
  NetlinkBytes nobody(RTM_NEWNEIGH, neighbour_header(NUD_STALE));
  nobody.put(NDA_LLADDR, {2, 0, 0x5e, 0x10, 0, 2});
  EXPECT_FALSE(decode_neighbour(nobody.message()));
}

TEST(DecodeRule, LeavesOutMulticastRouting) {
  fib_rule_hdr header{};
  header.family = RTNL_FAMILY_IPMR;
  EXPECT_EQ(*decode_rule(NetlinkBytes(RTM_NEWRULE, header).message()), std::nullopt);
}

}  // namespace
}  // namespace spark::host
