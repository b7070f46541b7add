#pragma once
// Power save of a Wi-Fi link, by nl80211 (NL80211_CMD_GET_POWER_SAVE; `iw dev NAME get
// power_save`).

#include <optional>

#include <linux/netlink.h>

#include "host/linux/netlink/request.hpp"

namespace spark::host {

/// True: it is on. Empty: the driver has none, or this kernel no nl80211.
std::optional<bool> read_wifi_power_save(int link_index);

NetlinkRequest encode_get_power_save(int family, int link_index);
/// Empty: the message does not say.
std::optional<bool> decode_power_save(const nlmsghdr& message);

}  // namespace spark::host
