#include "base/ip.hpp"

#include <array>
#include <string_view>

#include <gtest/gtest.h>

namespace spark {
namespace {

IpAddress ip(std::string_view text) { return IpAddress::parse(text).value(); }
IpPrefix prefix(std::string_view text) { return IpPrefix::parse(text).value(); }

TEST(IpAddress, ReadsAndPrintsBothFamilies) {
  EXPECT_EQ(ip("192.0.2.11").text(), "192.0.2.11");
  EXPECT_EQ(ip("2001:DB8:0:0::1").text(), "2001:db8::1");
}

TEST(IpAddress, RefusesEverythingButTheStrictForm) {
  using namespace std::string_view_literals;
  for (const auto text :
       {""sv, " 192.0.2.1"sv, "192.0.2.1 "sv, "192.0.2"sv, "192.0.2.256"sv, "192.0.2.01"sv,
        "192.0.2.1\0"sv, "192.0.2.1/24"sv, "fe80::1%eth0"sv, "2001:db8:::1"sv, "[2001:db8::1]"sv}) {
    EXPECT_FALSE(IpAddress::parse(text)) << text;
  }
}

TEST(IpAddress, IsMadeFromFourOrSixteenBytesOnly) {
  constexpr std::array<std::uint8_t, 16> kBytes{0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0,
                                                0,    0,    0,    0,    0, 0, 0, 1};
  EXPECT_EQ(IpAddress::from_bytes(kBytes), ip("2001:db8::1"));
  EXPECT_EQ(IpAddress::from_bytes(std::span(kBytes).first(4)), ip("32.1.13.184"));
  EXPECT_FALSE(IpAddress::from_bytes(std::span(kBytes).first(5)));
  EXPECT_FALSE(IpAddress::from_bytes({}));
}

TEST(IpAddress, TakesTheIPv4AddressOutOfAnIPv4MappedOne) {
  EXPECT_EQ(ip("::ffff:192.0.2.11").unmapped(), ip("192.0.2.11"));
  EXPECT_EQ(ip("::192.0.2.11").unmapped(), ip("::192.0.2.11"));
  EXPECT_EQ(ip("2001:db8::1").unmapped(), ip("2001:db8::1"));
  EXPECT_EQ(ip("192.0.2.11").unmapped(), ip("192.0.2.11"));
}

TEST(IpAddress, SortsIPv4FirstThenNumerically) {
  EXPECT_LT(ip("203.0.113.9"), ip("203.0.113.10"));
  EXPECT_LT(ip("203.0.113.10"), ip("::1"));
}

TEST(IpAddress, KnowsTheRangesThatAreNoFabricAddresses) {
  EXPECT_TRUE(ip("169.254.7.1").is_link_local());
  EXPECT_TRUE(ip("febf::1").is_link_local());
  EXPECT_FALSE(ip("fec0::1").is_link_local());
  EXPECT_TRUE(ip("127.255.0.1").is_loopback());
  EXPECT_TRUE(ip("::1").is_loopback());
  EXPECT_FALSE(ip("2001:db8::1").is_loopback());
  EXPECT_TRUE(ip("239.0.0.1").is_multicast());
  EXPECT_TRUE(ip("ff02::1").is_multicast());
  EXPECT_TRUE(ip("0.0.0.0").is_unspecified());
  EXPECT_TRUE(ip("::").is_unspecified());
}

TEST(IpPrefix, ReadsAndPrintsWithHostBitsKept) {
  EXPECT_EQ(prefix("192.0.2.11/24").text(), "192.0.2.11/24");
  EXPECT_EQ(prefix("2001:db8::b/64").text(), "2001:db8::b/64");
  EXPECT_EQ(prefix("192.0.2.11/24").network(), prefix("192.0.2.0/24"));
  EXPECT_EQ(prefix("192.0.2.11/0").network(), prefix("0.0.0.0/0"));
}

TEST(IpPrefix, RefusesALengthThatIsMissingPaddedOrTooLong) {
  for (const auto* text : {"192.0.2.11", "192.0.2.11/", "192.0.2.11/33", "192.0.2.11/024",
                           "192.0.2.11/+4", "192.0.2.11/-1", "192.0.2.11/24 ", "192.0.2.11/24/24",
                           "2001:db8::1/129", "2001:db8::1/384", "/24"}) {
    EXPECT_FALSE(IpPrefix::parse(text)) << text;
  }
}

TEST(IpPrefix, ContainsTheAddressesOfItsNetwork) {
  EXPECT_TRUE(prefix("192.0.2.11/25").contains(ip("192.0.2.127")));
  EXPECT_FALSE(prefix("192.0.2.11/25").contains(ip("192.0.2.128")));
  EXPECT_TRUE(prefix("0.0.0.0/0").contains(ip("203.0.113.1")));
  EXPECT_TRUE(prefix("2001:db8::/61").contains(ip("2001:db8:0:7::1")));
  EXPECT_FALSE(prefix("2001:db8::/61").contains(ip("2001:db8:0:8::1")));
}

TEST(IpPrefix, HoldsNothingOfTheOtherFamily) {
  EXPECT_FALSE(prefix("::/0").contains(ip("192.0.2.1")));
  EXPECT_FALSE(prefix("::/0").overlaps(prefix("0.0.0.0/0")));
}

TEST(IpPrefix, OverlapsWhenOneNetworkHoldsTheOther) {
  EXPECT_TRUE(prefix("198.51.100.0/24").overlaps(prefix("198.51.100.128/25")));
  EXPECT_TRUE(prefix("198.51.100.128/25").overlaps(prefix("198.51.100.0/24")));
  EXPECT_FALSE(prefix("198.51.100.0/25").overlaps(prefix("198.51.100.128/25")));
}

TEST(IpPrefix, NumbersTheHostsOfItsNetwork) {
  EXPECT_EQ(prefix("192.0.2.0/24").host(11), ip("192.0.2.11"));
  EXPECT_EQ(prefix("198.51.100.0/23").host(300), ip("198.51.101.44"));
  EXPECT_EQ(prefix("2001:db8::/64").host(0x1234), ip("2001:db8::1234"));
  EXPECT_EQ(prefix("2001:db8::/64").last_host(), (std::uint64_t{1} << 63) - 1);
}

TEST(IpPrefix, GivesNeitherNetworkNorBroadcastToAHost) {
  EXPECT_FALSE(prefix("192.0.2.0/24").host(0));
  EXPECT_FALSE(prefix("192.0.2.0/24").host(255));
  EXPECT_EQ(prefix("192.0.2.0/24").last_host(), 254U);
  EXPECT_FALSE(prefix("192.0.2.0/24").host(256));
  EXPECT_FALSE(prefix("2001:db8::/64").host(0));
}

TEST(IpPrefix, GivesBothAddressesOfAPointToPointNetworkToHosts) {
  EXPECT_EQ(prefix("192.0.2.6/31").host(0), ip("192.0.2.6"));
  EXPECT_EQ(prefix("192.0.2.6/31").host(1), ip("192.0.2.7"));
  EXPECT_FALSE(prefix("192.0.2.6/31").host(2));
  EXPECT_EQ(prefix("192.0.2.6/32").host(0), ip("192.0.2.6"));
  EXPECT_FALSE(prefix("192.0.2.6/32").host(1));
}

}  // namespace
}  // namespace spark
