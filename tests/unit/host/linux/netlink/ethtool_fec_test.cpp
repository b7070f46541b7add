#include "host/linux/netlink/ethtool_fec.hpp"

#include <array>
#include <cstdint>

#include <gtest/gtest.h>
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>

#include "unit/host/linux/netlink/netlink_bytes.hpp"

namespace spark::host {
namespace {

constexpr int kFamily = 21;
constexpr genlmsghdr kReply{.cmd = ETHTOOL_MSG_FEC_GET_REPLY, .version = 1, .reserved = 0};

NetlinkBytes reply() { return {kFamily, kReply}; }

template <std::size_t kCount>
NetlinkBytes statistics(const std::array<std::uint64_t, kCount>& uncorrectable) {
  NetlinkBytes nest(kFamily, kReply);
  nest.put(ETHTOOL_A_FEC_STAT_CORRECTED, std::array<std::uint64_t, 1>{900});
  nest.put(ETHTOOL_A_FEC_STAT_UNCORR, uncorrectable);
  return nest;
}

TEST(EthtoolFec, ReadsTheModeAndTheBlocksOfTheWholeLink) {
  const auto nest = statistics(std::array<std::uint64_t, 3>{7, 4, 3});
  auto bytes = reply();
  bytes.put(ETHTOOL_A_FEC_ACTIVE, std::uint32_t{ETHTOOL_LINK_MODE_FEC_RS_BIT})
      .put(ETHTOOL_A_FEC_STATS | NLA_F_NESTED, nest.attributes<genlmsghdr>());
  EXPECT_EQ(decode_fec(bytes.message()).value(), (FecState{.active = "RS", .uncorrectable = 7}));
}

TEST(EthtoolFec, KnowsTheModesByTheirNames) {
  for (const auto& [bit, name] : {std::pair{ETHTOOL_LINK_MODE_FEC_NONE_BIT, "off"},
                                  std::pair{ETHTOOL_LINK_MODE_FEC_BASER_BIT, "BASER"},
                                  std::pair{ETHTOOL_LINK_MODE_FEC_LLRS_BIT, "LLRS"},
                                  std::pair{ETHTOOL_LINK_MODE_Autoneg_BIT, ""}}) {
    auto bytes = reply();
    bytes.put(ETHTOOL_A_FEC_ACTIVE, static_cast<std::uint32_t>(bit));
    EXPECT_EQ(decode_fec(bytes.message()).value().active, name);
  }
}

TEST(EthtoolFec, ADriverThatCountsNothingHasNoBlocks) {
  auto bytes = reply();
  EXPECT_EQ(decode_fec(bytes.message()).value(), FecState{});
  const auto nest = statistics(std::array<std::uint64_t, 0>{});
  auto with_nest = reply();
  with_nest.put(ETHTOOL_A_FEC_STATS | NLA_F_NESTED, nest.attributes<genlmsghdr>());
  EXPECT_EQ(decode_fec(with_nest.message()).value().uncorrectable, std::nullopt);
}

TEST(EthtoolFec, RefusesWhatIsMalformed) {
  auto cut = reply();
  cut.cut(NLMSG_HDRLEN + 2);
  EXPECT_FALSE(decode_fec(cut.message()));
  auto narrow = reply();
  narrow.put(ETHTOOL_A_FEC_ACTIVE, std::uint8_t{1});
  EXPECT_FALSE(decode_fec(narrow.message()));
}

TEST(EthtoolFec, FindsTheNumberOfTheFamily) {
  NetlinkBytes bytes(GENL_ID_CTRL,
                     genlmsghdr{.cmd = CTRL_CMD_NEWFAMILY, .version = 2, .reserved = 0});
  bytes.put_text(CTRL_ATTR_FAMILY_NAME, "ethtool").put(CTRL_ATTR_FAMILY_ID, std::uint16_t{21});
  EXPECT_EQ(decode_family(bytes.message()), 21);
  NetlinkBytes none(GENL_ID_CTRL,
                    genlmsghdr{.cmd = CTRL_CMD_NEWFAMILY, .version = 2, .reserved = 0});
  EXPECT_EQ(decode_family(none.message()), std::nullopt);
}

}  // namespace
}  // namespace spark::host
