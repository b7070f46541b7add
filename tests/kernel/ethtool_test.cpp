// What a real kernel answers to the questions about statistics and FEC. Its veth has other
// statistics than a ConnectX, and no FEC: nothing of both is applicable.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "base/unique_fd.hpp"
#include "fake/names.hpp"
#include "host/hardware_signs.hpp"
#include "host/linux/ethtool_ioctl.hpp"
#include "host/linux/linux_hardware.hpp"
#include "host/linux/netlink/ethtool_fec.hpp"
#include "kernel/namespace.hpp"

namespace spark::test {
namespace {

using testing::IsEmpty;

class Ethtool : public NamespaceTest {
 protected:
  void SetUp() override {
    NamespaceTest::SetUp();
    if (IsSkipped()) return;
    ip("link add enp1s0f0np0 type veth peer name x-peer");
    socket_ = UniqueFd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ASSERT_TRUE(socket_.valid());
  }

  UniqueFd socket_;
};

TEST_F(Ethtool, StatisticsStandBesideTheirNames) {
  const auto all = host::ethtool_statistics(socket_.get(), kRail,
                                            [](std::string_view /*name*/) { return true; });
  // veth's first statistic (drivers/net/veth.c): the index of its other end.
  const auto peer = all.find("peer_ifindex");
  ASSERT_NE(peer, all.end());
  EXPECT_EQ(peer->second, static_cast<std::uint64_t>(link("x-peer").index));
}

TEST_F(Ethtool, NoneOfVethIsOneOfAConnectX) {
  EXPECT_THAT(host::ethtool_statistics(socket_.get(), kRail, host::is_kept_statistic), IsEmpty());
}

TEST_F(Ethtool, ALinkThatIsNotThereHasNone) {
  EXPECT_THAT(host::ethtool_statistics(socket_.get(), "nolink0", host::is_kept_statistic),
              IsEmpty());
  EXPECT_THAT(
      host::ethtool_statistics(socket_.get(), std::string(40, 'x'), host::is_kept_statistic),
      IsEmpty());
}

TEST_F(Ethtool, SaysWhatIsPluggedIn) {
  // drivers/net/veth.c says PORT_TP, and has no rings that could be set.
  EXPECT_EQ(host::cable_of(socket_.get(), kRail), "twisted pair");
  EXPECT_EQ(host::receive_ring_of(socket_.get(), kRail), std::nullopt);
  EXPECT_EQ(host::cable_of(socket_.get(), "lo"), "") << "it has no port";
  EXPECT_EQ(host::cable_of(socket_.get(), "nolink0"), "");
}

TEST_F(Ethtool, TheFamilyIsKnownAndVethHasNoFec) {
  auto socket = host::NetlinkSocket::open(NETLINK_GENERIC).value();
  std::optional<int> family;
  EXPECT_TRUE(socket.request(host::encode_get_family("ethtool"), [&](const nlmsghdr& message) {
    family = host::decode_family(message);
  }));
  ASSERT_TRUE(family);
  // The kernel understood the question: the driver cannot answer it.
  const auto asked = socket.request(host::encode_get_fec(*family, kRail));
  ASSERT_FALSE(asked);
  EXPECT_EQ(asked.error().number, EOPNOTSUPP) << asked.error().text;
  const auto absent = socket.request(host::encode_get_fec(*family, "nolink0"));
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().number, ENODEV) << absent.error().text;
  host::EthtoolFec fec;
  EXPECT_EQ(fec.read(kRail), std::nullopt);
  EXPECT_EQ(fec.read("nolink0"), std::nullopt);
}

TEST(LinuxHardwareOfThisMachine, IsReadWhateverItHas) {
  const auto facts = host::LinuxHardware().look();
  ASSERT_TRUE(facts) << facts.error().what;
  EXPECT_NE(facts->kernel, "");
  for (const auto& sign : host::hardware_signs(*facts)) {
    EXPECT_NE(sign.what, "") << sign.name;
  }
}

}  // namespace
}  // namespace spark::test
