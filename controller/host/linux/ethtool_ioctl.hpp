#pragma once
// ethtool's ioctl (SIOCETHTOOL): one request about a link, and the statistics of its driver.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "host/hardware.hpp"

namespace spark::host {

/// `socket`: any of the network namespace. The answer goes to where `request` is, a struct of
/// linux/ethtool.h. False: the driver does not answer it, or there is no such link.
bool ask_ethtool(int socket, const std::string& link, void* request);

/// Those of `ethtool -S` whose name `keep` wants; none where the driver has none. mlx5 has some
/// 1400, for which it asks the firmware a few times: a millisecond or two for a link.
std::map<std::string, std::uint64_t> ethtool_statistics(
    int socket, const std::string& link, const std::function<bool(std::string_view)>& keep);

/// What the port of the link says is plugged into it: "direct attach copper", "fibre", "twisted
/// pair" (ETHTOOL_GLINKSETTINGS, PORT_DA, PORT_FIBRE and PORT_TP); empty: nothing of these.
std::string cable_of(int socket, const std::string& link);

/// Empty: the driver does not say.
std::optional<ReceiveRing> receive_ring_of(int socket, const std::string& link);

}  // namespace spark::host
