#pragma once
// What NetworkManager's own configuration says of a device: does NetworkManager leave it alone?

#include <functional>
#include <string>
#include <vector>

#include "host/view.hpp"
#include "kinds/common/conf_files.hpp"

namespace spark::kinds {

/// What a specification in these files can name a device by (NetworkManager.conf(5), "Device List
/// Format").
struct NmDevice {
  std::string name;
  std::string type = "ethernet";
  std::string mac;
  std::function<std::string()> driver;  ///< asked only where a specification names one
};

struct NmAnswer {
  bool leaves_alone = false;
  std::string decided_by;  ///< "PATH:LINE", the line that takes the device; empty: none does
};

/// The files that count, in the order in which NetworkManager reads them (read_entire_config of its
/// nm-config.c): /usr/lib, /run, NetworkManager.conf, /etc, each folder by name, without those that
/// a later folder hides. `ours`, the file of this program, has `our_text`.
Result<std::vector<ConfFile>> nm_config_files(host::View& view, const std::string& ours,
                                              const std::string& our_text);

/// By `[keyfile] unmanaged-devices` and by `managed` of the `[device…]` sections, merged as
/// NetworkManager merges them. What was set over D-Bus or by udev counts until NetworkManager's
/// next start, and is no part of this.
NmAnswer asked_of_nm_config(const std::vector<ConfFile>& files, const NmDevice& device);

}  // namespace spark::kinds
