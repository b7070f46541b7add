#include "host/linux/netlink/wifi_power.hpp"

#include <gtest/gtest.h>
#include <linux/genetlink.h>
#include <linux/nl80211.h>

#include "unit/host/linux/netlink/netlink_bytes.hpp"

namespace spark::host {
namespace {

constexpr int kNl80211 = 33;
constexpr genlmsghdr kPowerSave{.cmd = NL80211_CMD_GET_POWER_SAVE, .version = 1, .reserved = 0};

TEST(WifiPowerSave, IsOnOrOff) {
  for (const bool is_on : {true, false}) {
    NetlinkBytes bytes(kNl80211, kPowerSave);
    bytes.put(NL80211_ATTR_PS_STATE,
              std::uint32_t{is_on ? NL80211_PS_ENABLED : NL80211_PS_DISABLED});
    EXPECT_EQ(decode_power_save(bytes.message()), is_on);
  }
}

TEST(WifiPowerSave, IsUnknownWhereTheAnswerDoesNotSay) {
  NetlinkBytes silent(kNl80211, kPowerSave);
  EXPECT_EQ(decode_power_save(silent.message()), std::nullopt);
  NetlinkBytes narrow(kNl80211, kPowerSave);
  narrow.put(NL80211_ATTR_PS_STATE, std::uint8_t{1});
  EXPECT_EQ(decode_power_save(narrow.message()), std::nullopt);
  NetlinkBytes cut(kNl80211, kPowerSave);
  cut.cut(NLMSG_HDRLEN + 1);
  EXPECT_EQ(decode_power_save(cut.message()), std::nullopt);
}

TEST(WifiPowerSave, IsAskedOfOneLink) {
  const auto request = encode_get_power_save(kNl80211, 7);
  const auto* const header = request.header();
  ASSERT_NE(header, nullptr);
  EXPECT_EQ(header->nlmsg_type, kNl80211);
  EXPECT_EQ(static_cast<const genlmsghdr*>(nlmsg_data(header))->cmd, NL80211_CMD_GET_POWER_SAVE);
  const auto* const index =
      nlmsg_find_attr(const_cast<nlmsghdr*>(header), sizeof(genlmsghdr), NL80211_ATTR_IFINDEX);
  ASSERT_NE(index, nullptr);
  EXPECT_EQ(nla_get_u32(index), 7U);
}

}  // namespace
}  // namespace spark::host
