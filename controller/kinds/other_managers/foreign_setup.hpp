#pragma once
// What NetworkManager or systemd-networkd sets up on a link at this moment, and the file that says
// so.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ip.hpp"
#include "host/view.hpp"
#include "kinds/other_managers/manager_files.hpp"

namespace spark::kinds {

struct ForeignSetup {
  Manager manager = Manager::kNetworkManager;
  std::string file;                  ///< a profile, or a .network file
  std::string netplan;               ///< "PATH:LINE" that `file` was made of; empty: none
  std::optional<std::uint32_t> mtu;  ///< bytes; empty: `file` sets none
  std::vector<IpPrefix> addresses;
  bool ipv4_automatic = false;  ///< from DHCP
  bool ipv6_automatic = false;  ///< from router advertisements, or DHCP
};

/// Empty: neither manages the link, or it is not known which does.
std::optional<ForeignSetup> foreign_setup(host::View& view, const host::LinkInfo& link);

}  // namespace spark::kinds
