#pragma once
// Which keys of a NetworkManager profile only say how an Ethernet device is brought up: one table
// for profiles (nm-settings-keyfile(5)) and for the `passthrough` of netplan files, where the same
// keys are "GROUP.KEY" (netplan's parse-nm.c).

#include <string_view>

namespace spark::config {

struct NmKey {
  std::string_view group;  ///< "ipv4"
  std::string_view key;    ///< "method"
  std::string_view value;
};

/// "GROUP.KEY" of `passthrough`: a group may hold dots, a key may not.
NmKey nm_key_of(std::string_view passthrough, std::string_view value);

/// Some keys of the group are of a device.
bool is_nm_group_of_a_device(std::string_view group);

/// Its value says of which device a profile is, what that gets, or whose profile it is.
bool is_nm_key_to_read(const NmKey& key);

/// The key may go together with an Ethernet device: it says how that is brought up, or what this
/// program sets itself. All else makes the file stay.
bool is_of_a_device(const NmKey& key);

}  // namespace spark::config
