#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/if_link.h>

#include "fake/names.hpp"
#include "kernel/namespace.hpp"

namespace spark::test {
namespace {

using testing::ElementsAre;

class NetlinkLinks : public NamespaceTest {
 protected:
  void SetUp() override {
    NamespaceTest::SetUp();
    if (!IsSkipped()) {
      add_cable(kRail);
    }
  }
};

TEST_F(NetlinkLinks, AreReadAsIpReadsThem) {
  ip("link set enp1s0f0np0 mtu 9000 address 02:00:5e:10:00:01 up");
  const auto rail = link(kRail);
  const auto json = ip_json("-details link show enp1s0f0np0").at(0);
  EXPECT_EQ(rail.index, json.at("ifindex"));
  EXPECT_EQ(rail.mtu, json.at("mtu"));
  EXPECT_EQ(rail.min_mtu, json.at("min_mtu"));
  EXPECT_EQ(rail.max_mtu, json.at("max_mtu"));
  EXPECT_EQ(rail.mac, json.at("address").get<std::string>());
  EXPECT_EQ(rail.kind, json.at("linkinfo").at("info_kind").get<std::string>());
  EXPECT_TRUE(rail.up);
  EXPECT_TRUE(rail.carrier);
  EXPECT_FALSE(rail.loopback);
  EXPECT_EQ(rail.lower, 0);  // IFLA_LINK is the other end, in the other namespace
  EXPECT_EQ(rail.ipv6_addr_gen_mode, IN6_ADDR_GEN_MODE_EUI64);
  EXPECT_TRUE(link("lo").loopback);
}

TEST_F(NetlinkLinks, APortKnowsItsBridge) {
  ip("link add br0 type bridge");
  ip("link set enp1s0f0np0 master br0");
  EXPECT_EQ(link(kRail).master, link("br0").index);
}

TEST_F(NetlinkLinks, GoUpAndDown) {
  ASSERT_TRUE(netlink_.set_up(kRail, true));
  EXPECT_TRUE(link(kRail).up);
  ASSERT_TRUE(netlink_.set_up(kRail, false));
  EXPECT_FALSE(link(kRail).up);
}

TEST_F(NetlinkLinks, TheCarrierGoesWithTheOtherEnd) {
  ASSERT_TRUE(netlink_.set_up(kRail, true));
  ip_at_peer("link set enp1s0f0np0 down");
  EXPECT_TRUE(link(kRail).up);
  EXPECT_FALSE(link(kRail).carrier);
}

TEST_F(NetlinkLinks, AChangeOfTheMtuChangesNothingElse) {
  ip("link set enp1s0f0np0 up");
  auto expected = link(kRail);
  ASSERT_TRUE(netlink_.set_mtu(kRail, 9000));
  expected.mtu = 9000;
  EXPECT_EQ(link(kRail), expected);
}

TEST_F(NetlinkLinks, AnMtuBeyondTheDeviceIsRefusedInTheKernelsWords) {
  EXPECT_EQ(netlink_.set_mtu(kRail, 70000).error(),
            (Error{ErrorCode::kInvalid,
                   "set mtu of 'enp1s0f0np0' to 70000: mtu greater than device maximum (Invalid "
                   "argument)"}));
  EXPECT_EQ(netlink_.set_mtu(kRail, 10).error().what,
            "set mtu of 'enp1s0f0np0' to 10: mtu less than device minimum (Invalid argument)");
  EXPECT_EQ(link(kRail).mtu, 1500U);
}

TEST_F(NetlinkLinks, ADeviceThatIsAbsentIsNotFound) {
  const auto absent = [](const Result<>& result, const std::string& what) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error(), (Error{ErrorCode::kNotFound, what + ": No such device"}));
  };
  absent(netlink_.set_up("none", true), "set 'none' up");
  absent(netlink_.set_mtu("none", 9000), "set mtu of 'none' to 9000");
  absent(netlink_.set_mtu("", 9000), "set mtu of '' to 9000");
  const std::string long_name(60, 'x');
  absent(netlink_.set_up(long_name, false), "set '" + long_name + "' down");
}

TEST_F(NetlinkLinks, TheLinkLocalModeDecidesWhatALinkThatGoesUpMakes) {
  ASSERT_TRUE(netlink_.set_addr_gen_mode(kRail, IN6_ADDR_GEN_MODE_NONE));
  EXPECT_EQ(link(kRail).ipv6_addr_gen_mode, IN6_ADDR_GEN_MODE_NONE);
  ASSERT_TRUE(netlink_.set_up(kRail, true));
  EXPECT_THAT(addresses_of(kRail), testing::IsEmpty());
}

TEST_F(NetlinkLinks, ALinkWithAnMtuBelow1280HasNoIpv6) {
  ASSERT_TRUE(netlink_.set_mtu(kRail, 1000));
  EXPECT_EQ(link(kRail).ipv6_addr_gen_mode, std::nullopt);
  EXPECT_EQ(netlink_.set_addr_gen_mode(kRail, IN6_ADDR_GEN_MODE_NONE).error().code,
            ErrorCode::kUnsupported);
}

TEST_F(NetlinkLinks, AreFoundByAlternativeNamesOfAnyLength) {
  ip("link property add dev enp1s0f0np0 altname cage0 altname the-first-rail-of-the-left-cage");
  EXPECT_THAT(link(kRail).altnames, ElementsAre("cage0", "the-first-rail-of-the-left-cage"));
  EXPECT_TRUE(netlink_.set_mtu("cage0", 9000));
  EXPECT_TRUE(netlink_.set_up("the-first-rail-of-the-left-cage", true));
  EXPECT_EQ(link(kRail).mtu, 9000U);
  EXPECT_TRUE(link(kRail).up);
}

TEST_F(NetlinkLinks, ARenamedLinkIsFoundByItsNewName) {
  ASSERT_TRUE(netlink_.set_mtu(kRail, 9000));
  ip("link set enp1s0f0np0 name fabric0");
  EXPECT_EQ(netlink_.set_mtu(kRail, 1500).error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(netlink_.set_mtu("fabric0", 1500));
  EXPECT_EQ(link("fabric0").mtu, 1500U);
}

TEST_F(NetlinkLinks, ALinkThatWasMadeAgainIsTheOneThatIsChanged) {
  const int before = link(kRail).index;
  ASSERT_TRUE(netlink_.set_mtu(kRail, 9000));
  ip("link delete enp1s0f0np0");
  add_cable("other");
  add_cable(kRail);
  ASSERT_NE(link(kRail).index, before);
  ASSERT_TRUE(netlink_.set_mtu(kRail, 4000));
  EXPECT_EQ(link(kRail).mtu, 4000U);
  EXPECT_EQ(link("other").mtu, 1500U);
}

TEST_F(NetlinkLinks, ManyLinksComeInOneTable) {
  constexpr int kCount = 100;
  for (int i = 0; i < kCount; ++i) {
    ip("link add cable" + std::to_string(i) + " type veth peer name end" + std::to_string(i));
  }
  EXPECT_EQ(netlink_.links()->size(), 2U + 2 * kCount);
}

TEST_F(NetlinkLinks, ATableThatChangesMeanwhileIsReadAgainOrCalledBusy) {
  std::jthread writer([&](const std::stop_token& stop) {
    host::LinuxNetlink other;
    for (std::uint32_t i = 0; !stop.stop_requested(); i = (i + 1) % 1000) {
      static_cast<void>(other.add_address(kRail, {.address = *IpPrefix::parse("192.0.2.11/24")}));
      static_cast<void>(other.remove_address(kRail, *IpPrefix::parse("192.0.2.11/24")));
    }
  });
  for (int i = 0; i < 500; ++i) {
    const auto addresses = netlink_.addresses();
    ASSERT_TRUE(addresses || addresses.error().code == ErrorCode::kBusy) << addresses.error().what;
  }
}

TEST_F(NetlinkLinks, WithoutRightsAChangeIsNotPermitted) {
  const auto as_nobody = [&] {
    // In a thread: on Linux the raw system call changes this thread alone.
    constexpr long kNobody = 65534;
    EXPECT_EQ(syscall(SYS_setresuid, kNobody, kNobody, kNobody), 0);
    const auto set = host::LinuxNetlink().set_mtu(kRail, 9000);
    ASSERT_FALSE(set);
    EXPECT_EQ(set.error(), (Error{ErrorCode::kPermission,
                                  "set mtu of 'enp1s0f0np0' to 9000: Operation not permitted"}));
    EXPECT_TRUE(host::LinuxNetlink().links());
  };
  std::jthread(as_nobody).join();
  EXPECT_EQ(link(kRail).mtu, 1500U);
}

}  // namespace
}  // namespace spark::test
