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

/// Something of a netplan file that is no plain entry of `ethernets`: a section, or a key.
struct NetplanRest {
  std::string what;   ///< "`wifis`", "`routes`"
  std::string owner;  ///< id of the entry that has the key; empty: a section
  int line = 0;
  bool operator==(const NetplanRest&) const = default;
};

struct Netplan {
  std::vector<NetplanEntry> entries;  ///< of sections that may hold a rail, in the file's order
  /// All else, but for keys that only say how an entry of `ethernets` is brought up; also what no
  /// version of netplan knows.
  std::vector<NetplanRest> rest;
  /// `network.renderer`, which counts in other files as well; empty: none.
  std::string renderer;
  int renderer_line = 0;
  /// The first line that gives a device, of any section, to NetworkManager by a `renderer` of the
  /// device or of its section; 0: none.
  int networkmanager_line = 0;
};

/// Errors: kInvalid when it is no netplan file.
Result<Netplan> read_netplan(const std::string& text);

/// The entry sets up the device of that name and MAC address (text, "02:00:…"), or uses it.
bool claims(const NetplanEntry& entry, const std::string& name, const std::string& mac);

}  // namespace spark::config
