#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/if.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include "host/linux/netlink/decode.hpp"
#include "unit/host/linux/netlink/netlink_bytes.hpp"

namespace spark::host {
namespace {

ifinfomsg header(unsigned flags = 0) {
  ifinfomsg header{};
  header.ifi_index = 4;
  header.ifi_flags = flags;
  return header;
}

NetlinkBytes named(std::string_view name = "enp1s0f0np0", unsigned flags = 0) {
  NetlinkBytes bytes(RTM_NEWLINK, header(flags));
  bytes.put_text(IFLA_IFNAME, name);
  return bytes;
}

NetlinkBytes nest() { return {0, ifinfomsg{}}; }

std::span<const std::uint8_t> inside(const NetlinkBytes& nest) {
  return nest.attributes<ifinfomsg>();
}

TEST(DecodeLink, ReadsTheNetdevOfARail) {
  auto bytes = named("enp1s0f0np0", IFF_UP | IFF_LOWER_UP);
  bytes.put(IFLA_MTU, std::uint32_t{9000})
      .put(IFLA_MIN_MTU, std::uint32_t{68})
      .put(IFLA_MAX_MTU, std::uint32_t{9978})
      .put(IFLA_CARRIER, std::uint8_t{1})
      .put(IFLA_MASTER, std::uint32_t{9})
      .put(IFLA_ADDRESS, {0x02, 0x00, 0x5e, 0x10, 0x00, 0x01})
      .put(IFLA_PHYS_SWITCH_ID, {0x00, 0x00, 0x5e, 0x00, 0x53, 0xab})
      .put_text(IFLA_PHYS_PORT_NAME, "p0")
      .put_text(IFLA_PARENT_DEV_NAME, "0000:01:00.0")
      .put_text(IFLA_PARENT_DEV_BUS_NAME, "pci");
  const auto link = decode_link(bytes.message());
  ASSERT_TRUE(link) << link.error().what;
  EXPECT_EQ(*link, (LinkInfo{.index = 4,
                             .name = "enp1s0f0np0",
                             .up = true,
                             .carrier = true,
                             .mtu = 9000,
                             .min_mtu = 68,
                             .max_mtu = 9978,
                             .mac = "02:00:5e:10:00:01",
                             .master = 9,
                             .phys_switch_id = "00005e0053ab",
                             .phys_port_name = "p0",
                             .parent_bus = "pci",
                             .parent_device = "0000:01:00.0"}));
}

TEST(DecodeLink, TakesTheFlagWhereThereIsNoCarrierAttribute) {
  EXPECT_TRUE(decode_link(named("eth0", IFF_UP | IFF_LOWER_UP).message())->carrier);
  EXPECT_FALSE(decode_link(named("eth0", IFF_UP).message())->carrier);
}

TEST(DecodeLink, AnUpLinkWithoutCableHasNoCarrier) {
  auto bytes = named("eth0", IFF_UP);
  bytes.put(IFLA_CARRIER, std::uint8_t{0});
  const auto link = decode_link(bytes.message());
  EXPECT_TRUE(link->up);
  EXPECT_FALSE(link->carrier);
}

TEST(DecodeLink, ReadsAllAlternativeNames) {
  auto names = nest();
  names.put_text(IFLA_ALT_IFNAME, "enP7p1s0")
      .put_text(IFLA_ALT_IFNAME, "management-of-this-machine");
  auto bytes = named("enP7s7");
  bytes.put(IFLA_PROP_LIST | NLA_F_NESTED, inside(names));
  EXPECT_THAT(decode_link(bytes.message())->altnames,
              testing::ElementsAre("enP7p1s0", "management-of-this-machine"));
}

TEST(DecodeLink, ReadsTheLinkLocalMode) {
  auto inet6 = nest();
  inet6.put(IFLA_INET6_ADDR_GEN_MODE, std::uint8_t{1});
  auto families = nest();
  families.put(AF_INET, {}).put(AF_INET6, inside(inet6));
  auto bytes = named();
  bytes.put(IFLA_AF_SPEC, inside(families));
  EXPECT_EQ(decode_link(bytes.message())->ipv6_addr_gen_mode, 1);
}

TEST(DecodeLink, ALinkWithoutIpv6HasNoLinkLocalMode) {
  auto families = nest();
  families.put(AF_INET, {});
  auto bytes = named();
  bytes.put(IFLA_AF_SPEC, inside(families));
  EXPECT_EQ(decode_link(bytes.message())->ipv6_addr_gen_mode, std::nullopt);
}

NetlinkBytes stacked(std::string_view kind) {
  auto info = nest();
  info.put_text(IFLA_INFO_KIND, kind);
  auto bytes = named("upper");
  bytes.put(IFLA_LINK, std::uint32_t{2}).put(IFLA_LINKINFO, inside(info));
  return bytes;
}

TEST(DecodeLink, AVlanStandsOnItsLink) {
  const auto link = decode_link(stacked("vlan").message());
  EXPECT_EQ(link->kind, "vlan");
  EXPECT_EQ(link->lower, 2);
}

TEST(DecodeLink, AVethStandsOnNothing) {
  EXPECT_EQ(decode_link(stacked("veth").message())->lower, 0);
}

TEST(DecodeLink, WhatIsInAnotherNamespaceIsNoLowerDevice) {
  auto bytes = stacked("vlan");
  bytes.put(IFLA_LINK_NETNSID, std::int32_t{0});
  EXPECT_EQ(decode_link(bytes.message())->lower, 0);
}

TEST(DecodeLink, SkipsAttributesOfNewerKernels) {
  auto bytes = named("eth0");
  bytes.put(IFLA_MAX + 1, {1, 2, 3}).put(0x3FFF, {});
  EXPECT_EQ(decode_link(bytes.message())->name, "eth0");
}

TEST(DecodeLink, RefusesAMessageShorterThanItsHeader) {
  NetlinkBytes bytes(RTM_NEWLINK, header());
  bytes.cut(sizeof(nlmsghdr) + 8);
  EXPECT_EQ(decode_link(bytes.message()).error(),
            (Error{ErrorCode::kInvalid, "malformed netlink message: link"}));
}

TEST(DecodeLink, RefusesALinkWithoutName) {
  EXPECT_EQ(decode_link(NetlinkBytes(RTM_NEWLINK, header()).message()).error().what,
            "malformed netlink message: link with index 4");
}

TEST(DecodeLink, RefusesANumberThatIsTooShort) {
  auto bytes = named();
  bytes.put(IFLA_MTU, std::uint16_t{9000});
  EXPECT_FALSE(decode_link(bytes.message()));
}

TEST(DecodeLink, RefusesANameWithoutEnd) {
  NetlinkBytes bytes(RTM_NEWLINK, header());
  bytes.put(IFLA_IFNAME, {'e', 't', 'h', '0'});
  EXPECT_FALSE(decode_link(bytes.message()));
}

TEST(DecodeLink, RefusesAnAlternativeNameWithoutEnd) {
  auto names = nest();
  names.put(IFLA_ALT_IFNAME, {'e', 't', 'h', '0'});
  auto bytes = named();
  bytes.put(IFLA_PROP_LIST, inside(names));
  EXPECT_FALSE(decode_link(bytes.message()));
}

}  // namespace
}  // namespace spark::host
