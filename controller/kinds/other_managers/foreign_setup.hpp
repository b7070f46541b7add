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

// What a NetworkManager profile (nm-settings-keyfile(5)) says of its device and of that device's
// addresses.

struct NmProfile {
  struct Line {
    std::string text;
    int number = 0;
  };
  std::string path;
  std::string uuid;                  ///< empty: NetworkManager derives one from the path
  std::string link;                  ///< empty: any
  std::string mac;                   ///< "02:00:…", in lower case; empty: any
  std::optional<std::uint32_t> mtu;  ///< bytes
  std::vector<IpPrefix> addresses;
  bool ipv4_automatic = false;  ///< from DHCP
  bool ipv6_automatic = false;  ///< from router advertisements, or DHCP
  /// NetworkManager wrote down what it found on a link that others had set up: nobody asked for it.
  bool external = false;
  bool is_ethernet = false;  ///< else it only stands on the devices that it names
  /// Names, patterns for them (fnmatch), or MAC addresses.
  std::vector<Line> devices;
  /// All that an Ethernet device does not need, and what nobody knows: "`route1`".
  std::vector<Line> rest;
};

/// The lines of a profile that this program needs, each at its line number, and of others the key,
/// since their values may be passwords. For View::excerpt.
Result<std::string> excerpt_of_profile(const std::string& text);

/// Reads such an excerpt.
NmProfile read_nm_profile(const std::string& path, const std::string& excerpt);

/// All profiles of this machine that can be read, those that hide others of their UUID first.
std::vector<NmProfile> read_nm_profiles(host::View& view);

/// The profile that is active on the link, as NetworkManager remembers it for its next start;
/// empty: none, or it is not known which.
std::optional<NmProfile> active_nm_profile(host::View& view, const host::LinkInfo& link);

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
