#include "config/netplan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spark::config {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kMac = "02:00:5E:10:00:02";

TEST(Netplan, KnowsADeviceByItsNameItsPatternItsMacAndItsDriver) {
  const auto entries = read_netplan(R"(network:
  version: 2
  ethernets:
    enp1s0f0np0: { dhcp4: true }
    by-pattern: { match: { name: "enp1s0f*" } }
    by-mac: { match: { macaddress: "02:00:5e:10:00:02" }, set-name: lan0 }
    by-driver: { match: { driver: mlx5_core } }
    enP7s7: { dhcp4: true }
)");
  ASSERT_TRUE(entries) << entries.error().what;
  ASSERT_THAT(*entries, SizeIs(5));
  EXPECT_EQ(entries->at(0).line, 4);
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(claims(entries->at(static_cast<std::size_t>(i)), "enp1s0f0np0", kMac)) << i;
  }
  EXPECT_FALSE(claims(entries->at(4), "enp1s0f0np0", kMac));
  EXPECT_FALSE(claims(entries->at(2), "enp1s0f1np1", "02:00:5e:10:00:03"));
}

TEST(Netplan, KnowsWhatABondAndAVlanStandOn) {
  const auto entries = read_netplan(R"(network:
  bonds:
    bond0: { interfaces: [enp1s0f0np0, enp1s0f1np1] }
  vlans:
    vlan7: { id: 7, link: enp1s0f0np0 }
)");
  ASSERT_TRUE(entries);
  EXPECT_TRUE(claims(entries->at(0), "enp1s0f1np1", kMac));
  EXPECT_TRUE(claims(entries->at(1), "enp1s0f0np0", kMac));
  EXPECT_FALSE(claims(entries->at(1), "enp1s0f1np1", kMac));
}

TEST(Netplan, TellsWhatNetworkManagerMadeByItself) {
  const auto entries = read_netplan(R"(network:
  ethernets:
    NM-1: { match: { name: enp1s0f0np0 }, networkmanager: { name: "Wired connection 1" } }
    NM-2: { match: { name: enp1s0f0np0 }, networkmanager: { name: "fabric" } }
)");
  ASSERT_TRUE(entries);
  EXPECT_TRUE(entries->at(0).automatic);
  EXPECT_FALSE(entries->at(1).automatic);
}

TEST(Netplan, TakesAFileWithoutDevicesAndRefusesWhatIsNone) {
  EXPECT_THAT(read_netplan("network: { version: 2, renderer: NetworkManager }").value(), IsEmpty());
  EXPECT_THAT(read_netplan("network: { ethernets: [] }").value(), IsEmpty());
  for (const auto* text : {"", "- 1\n", "nodes: {}\n", "network: [\n", "a: b: c\n"}) {
    EXPECT_EQ(read_netplan(text).error().code, ErrorCode::kInvalid) << text;
  }
}

TEST(Netplan, OddShapesClaimNothingAndBreakNothing) {
  const auto entries = read_netplan(
      "network: { ethernets: { a: , b: 3, c: { match: 5 }, d: { match: { name: {} } } } }");
  ASSERT_TRUE(entries);
  EXPECT_THAT(*entries, SizeIs(4));
  EXPECT_FALSE(claims(entries->at(0), "enp1s0f0np0", kMac));
}

}  // namespace
}  // namespace spark::config
