#include "host/linux/netlink/wifi_power.hpp"

#include <linux/genetlink.h>
#include <linux/nl80211.h>

#include "host/linux/netlink/attributes.hpp"
#include "host/linux/netlink/ethtool_fec.hpp"
#include "host/linux/netlink/socket.hpp"

namespace spark::host {

NetlinkRequest encode_get_power_save(int family, int link_index) {
  NetlinkRequest request(
      family, genlmsghdr{.cmd = NL80211_CMD_GET_POWER_SAVE, .version = 0, .reserved = 0});
  request.put_u32(NL80211_ATTR_IFINDEX, static_cast<std::uint32_t>(link_index));
  return request;
}

std::optional<bool> decode_power_save(const nlmsghdr& message) {
  constexpr auto kKnown = policy<NL80211_ATTR_PS_STATE>({{NL80211_ATTR_PS_STATE, kU32}});
  Attributes<NL80211_ATTR_PS_STATE> attributes{};
  if (header_of<genlmsghdr>(message) == nullptr ||
      !parse_attributes<genlmsghdr>(message, kKnown, attributes) ||
      attributes[NL80211_ATTR_PS_STATE] == nullptr) {
    return std::nullopt;
  }
  return u32_of(attributes[NL80211_ATTR_PS_STATE]) == NL80211_PS_ENABLED;
}

std::optional<bool> read_wifi_power_save(int link_index) {
  auto socket = NetlinkSocket::open(NETLINK_GENERIC);
  if (!socket) return std::nullopt;
  std::optional<int> family;
  const auto known = socket->request(encode_get_family("nl80211"), [&](const nlmsghdr& message) {
    family = decode_family(message);
  });
  if (!known || !family) return std::nullopt;
  std::optional<bool> is_on;
  const auto answered =
      socket->request(encode_get_power_save(*family, link_index),
                      [&](const nlmsghdr& message) { is_on = decode_power_save(message); });
  return answered ? is_on : std::nullopt;
}

}  // namespace spark::host
