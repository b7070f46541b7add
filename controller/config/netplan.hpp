#pragma once
// What a netplan file sets up: a file that someone else made, and that may claim our rails.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ip.hpp"
#include "base/result.hpp"

namespace spark::config {

/// One device that a netplan file defines or uses (netplan(5), `network.ethernets.ID` and the
/// like).
struct NetplanEntry {
  std::string id;
  int line = 0;                      ///< of the id
  std::vector<std::string> names;    ///< the device's name, or patterns for it (`match.name`)
  std::string mac;                   ///< `match.macaddress`, in lower case; empty: any
  std::vector<std::string> drivers;  ///< `match.driver`, patterns; empty: any
  std::vector<IpPrefix> addresses;
  std::optional<std::uint32_t> mtu;  ///< bytes
  std::vector<std::string> members;  ///< devices that it stands on (`interfaces`, `link`)
  bool automatic = false;  ///< a DHCP profile that NetworkManager made by itself, for a device that
                           ///< nobody had set up
};

/// The entries, in the file's order. Errors: kInvalid when it is no netplan file.
Result<std::vector<NetplanEntry>> read_netplan(const std::string& text);

/// The entry sets up the device of that name and MAC address (text, "02:00:…"), or uses it.
bool claims(const NetplanEntry& entry, const std::string& name, const std::string& mac);

}  // namespace spark::config
