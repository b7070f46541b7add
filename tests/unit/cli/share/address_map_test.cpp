// Replaced addresses are related as the originals are, and are what the originals are.

#include "cli/share/address_map.hpp"

#include <string>

#include <gtest/gtest.h>

namespace spark::cli {
namespace {

constexpr Salt kSalt{7};

class AddressMaps : public testing::Test {
 protected:
  [[nodiscard]] std::string ip(const char* text) const {
    return map_.ip(*IpAddress::parse(text)).text();
  }
  [[nodiscard]] IpPrefix prefix(const char* text) const {
    return map_.prefix(*IpPrefix::parse(text));
  }

  KeyedHash hash_{kSalt};
  AddressMap map_{hash_};
};

/// How many bits two addresses share.
std::size_t shared_bits(const IpAddress& a, const IpAddress& b) {
  std::size_t count = 0;
  while (count < a.bits() &&
         ((a.bytes()[count / 8] ^ b.bytes()[count / 8]) >> (7 - count % 8) & 1) == 0) {
    ++count;
  }
  return count;
}

TEST_F(AddressMaps, KeepHowManyBitsTwoAddressesShare) {
  for (const auto& [one, other] : {std::pair{"198.51.100.7", "198.51.100.9"},
                                   {"198.51.100.7", "198.51.101.9"},
                                   {"192.168.177.1", "192.168.178.1"},
                                   {"10.0.0.1", "198.51.100.7"},
                                   {"203.0.113.1", "198.51.100.7"},
                                   {"2001:db8:1:2::11", "2001:db8:1:3::11"},
                                   {"fd00:1:2:3::1", "fd00:1:2:3::2"}}) {
    const auto a = *IpAddress::parse(one);
    const auto b = *IpAddress::parse(other);
    EXPECT_EQ(shared_bits(map_.ip(a), map_.ip(b)), shared_bits(a, b)) << one << " " << other;
  }
}

TEST_F(AddressMaps, KeepWhatKindOfAddressItIs) {
  for (const auto* text : {"0.0.0.0", "127.0.0.1", "224.0.0.251", "255.255.255.255", "::", "::1",
                           "ff02::1", "fe80::1"}) {
    EXPECT_EQ(ip(text), text);
  }
  for (const auto* text : {"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16",
                           "fe80::/64", "fd00::/8", "0.0.0.0/0", "::/0", "128.0.0.0/1"}) {
    EXPECT_EQ(prefix(text).text(), text);
  }
}

TEST_F(AddressMaps, MapNothingIntoAnotherKind) {
  const auto is_special = [](const IpAddress& address) {
    return address.is_loopback() || address.is_multicast() || address.is_link_local() ||
           IpPrefix::parse("10.0.0.0/8")->contains(address) ||
           IpPrefix::parse("192.168.0.0/16")->contains(address);
  };
  for (unsigned i = 1; i < 224; ++i) {
    if (i == 10 || i == 127) continue;
    const auto address = *IpAddress::parse(std::to_string(i) + ".51.100.7");
    EXPECT_FALSE(is_special(map_.ip(address))) << address.text();
  }
}

TEST_F(AddressMaps, KeepTheNumberOfANode) {
  EXPECT_TRUE(ip("192.168.177.11").ends_with(".11"));
  EXPECT_TRUE(ip("2001:db8:1:2::11").ends_with("::11"));
  EXPECT_NE(ip("2001:db8:1:2::11"), "2001:db8:1:2::11");
}

TEST_F(AddressMaps, KeepNetworksAndTheirLastAddress) {
  const auto network = prefix("172.17.0.0/16");
  EXPECT_EQ(network, network.network());
  EXPECT_TRUE(network.contains(map_.ip(*IpAddress::parse("172.17.0.1"))));
  const auto last =
      map_.broadcast(*IpAddress::parse("172.17.255.255"), *IpPrefix::parse("172.17.0.1/16"));
  EXPECT_TRUE(network.contains(last));
  EXPECT_TRUE(last.text().ends_with(".255.255")) << last.text();
}

TEST_F(AddressMaps, KeepTheVendorOfAMac) {
  const auto mac = map_.mac("a0:88:c2:01:02:03");
  EXPECT_TRUE(mac.starts_with("a0:88:c2:")) << mac;
  EXPECT_NE(mac, "a0:88:c2:01:02:03");
  EXPECT_EQ(map_.mac("A0:88:C2:01:02:03"), mac);
  EXPECT_EQ(map_.mac("00:00:00:00:00:00"), "00:00:00:00:00:00");
  EXPECT_EQ(map_.mac("ff:ff:ff:ff:ff:ff"), "ff:ff:ff:ff:ff:ff");
  // Docker makes an address of the container's IPv4 address: no vendor's part there.
  EXPECT_FALSE(map_.mac("02:42:c6:33:64:07").contains("c6:33"));
}

TEST_F(AddressMaps, MakeTheAddressOfAMacOfItsReplacement) {
  // fe80::a288:c2ff:fe01:203 is made of a0:88:c2:01:02:03.
  const auto mac = map_.mac("a0:88:c2:01:02:03");
  const auto address = map_.ip(*IpAddress::parse("fe80::a288:c2ff:fe01:203"));
  const auto bytes = address.bytes();
  EXPECT_TRUE(address.is_link_local());
  EXPECT_EQ(mac, map_.mac("a0:88:c2:01:02:03"));
  char text[18];
  std::snprintf(text, sizeof text, "%02x:%02x:%02x:%02x:%02x:%02x", bytes[8] ^ 2, bytes[9],
                bytes[10], bytes[13], bytes[14], bytes[15]);
  EXPECT_EQ(std::string(text), mac);
}

TEST_F(AddressMaps, MapAMappedIpv4AddressAsThatAddress) {
  EXPECT_EQ(ip("::ffff:198.51.100.7"), "::ffff:" + ip("198.51.100.7"));
}

}  // namespace
}  // namespace spark::cli
